import { expect, onTestFinished, test, vi } from 'vitest';
import { PlantsService } from '../../src/plants/plants.service.js';
import { sendRaw } from '../support/network/raw-connection.js';
import { newPlant } from '../support/plants.js';
import { startService, TOKEN } from '../support/service.js';

const CONNECTIONS = 64;

test('connections that come in together are accepted before their requests are begun', async () => {
  const service = await startService();
  // The first request also looks up its token.
  await service.send('GET', '/plants/1');
  let accepted = 0;
  service.app.getHttpServer().on('connection', () => (accepted += 1));
  const begun: number[] = [];
  vi.spyOn(service.app.get(PlantsService), 'find').mockImplementation(async (id) => {
    begun.push(accepted);
    return newPlant(id, 'Aloe');
  });
  // No time passes: neither the accepting nor a turn of the event loop takes too long.
  const clock = vi.spyOn(performance, 'now').mockReturnValue(performance.now());
  onTestFinished(() => clock.mockRestore());

  const request = `GET /plants/1 HTTP/1.1\r\nHost: plants\r\nAuthorization: Bearer ${TOKEN}\r\nConnection: close\r\n\r\n`;
  const connections = await Promise.all(
    Array.from({ length: CONNECTIONS }, () => sendRaw(service.port, request)),
  );
  const answers = await Promise.all(connections.map(({ ended }) => ended));

  expect(answers.filter((answer) => answer.startsWith('HTTP/1.1 200 '))).toHaveLength(CONNECTIONS);
  expect(begun).toEqual(Array.from({ length: CONNECTIONS }, () => CONNECTIONS));
});

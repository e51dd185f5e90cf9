import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { Exchange, HeldMemory } from '../../http/connection/exchange.js';
import { countTurns } from '../../../test/support/turns.js';
import { sendLines } from './send-lines.js';

test('lines that are always ready leave turns of the event loop to others', async () => {
  const turns = countTurns();
  const seen: number[] = [];
  async function* lines(): AsyncGenerator<string, void> {
    while (seen.length < 100) {
      seen.push(turns());
      yield 'x\n';
    }
  }
  const server = createServer((request, response) => {
    void sendLines(new Exchange(request, response, new HeldMemory(), 1_000), lines(), {});
  });
  onTestFinished(() => void server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);

  expect(await answer.text()).toBe('x\n'.repeat(100));
  expect(new Set(seen).size).toBe(100);
});

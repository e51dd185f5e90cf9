import type { Socket } from 'node:net';
import { expect, test, vi } from 'vitest';
import { PlantsService } from '../../src/plants/plants.service.js';
import { sendRaw } from '../support/network/raw-connection.js';
import { newPlant, withoutOtherFields } from '../support/plants.js';
import { type Service, startService, TOKEN } from '../support/service.js';
import { countTurns } from '../support/turns.js';

function message(method: string, path: string, body?: object): string {
  const text = body === undefined ? '' : JSON.stringify(body);
  const head = [
    `${method} ${path} HTTP/1.1`,
    'Host: plants',
    `Authorization: Bearer ${TOKEN}`,
    ...(body === undefined ? [] : ['Content-Type: application/json', `Content-Length: ${text.length}`]),
  ];
  return `${head.join('\r\n')}\r\n\r\n${text}`;
}

test('requests that a client sends without waiting for answers are done in their order', async () => {
  const service = await startService();

  const connection = await sendRaw(
    service.port,
    [
      message('PUT', '/plants/1', { name: 'Aloe' }),
      message('GET', '/plants/1'),
      message('GET', '/plants'),
      message('DELETE', '/plants/1'),
      message('GET', '/plants/1'),
      message('POST', '/plants', { id: 1, name: 'Cactus' }),
      message('PATCH', '/plants/1', { tag: 'succulent' }),
      message('GET', '/plants/1'),
    ].join(''),
  );

  await vi.waitUntil(() => statusesOf(connection.received()).length === 8);
  await vi.waitUntil(() => connection.received().endsWith('}'));
  const bodies = withoutOtherFields(connection.received()).match(/(?<=\r\n\r\n)[[{].*?(?=HTTP|$)/gs);
  expect(statusesOf(connection.received())).toEqual(['201', '200', '200', '204', '404', '200', '200', '200']);
  expect(bodies).toEqual([
    '{"id":1,"name":"Aloe"}',
    '{"id":1,"name":"Aloe"}',
    '[{"id":1,"name":"Aloe"}]',
    expect.stringContaining('40401'),
    '{"name":"Cactus"}',
    '{"id":1,"name":"Cactus","tag":"succulent"}',
    '{"id":1,"name":"Cactus","tag":"succulent"}',
  ]);
});

/** Lets `find` wait until the test lets it go on; tells how often it was begun. */
function holdReads(service: Service) {
  const plants = service.app.get(PlantsService);
  const find = plants.find.bind(plants);
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const spy = vi.spyOn(plants, 'find').mockImplementation(async (id) => {
    await released;
    return find(id);
  });
  return { release, begun: () => spy.mock.calls.length };
}

function statusesOf(received: string): (string | undefined)[] {
  return [...received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);
}

test('one request of a connection is begun at a time, whatever its method, and the rest stays unread', async () => {
  const service = await startService();
  await service.create({ id: 1, name: 'Aloe' });
  const { release, begun } = holdReads(service);
  const sockets: Socket[] = [];
  service.app.getHttpServer().on('connection', (socket: Socket) => sockets.push(socket));
  const request = message('GET', '/plants/1').replace(
    '\r\n\r\n',
    `\r\nX-Padding: ${'x'.repeat(2000)}\r\n\r\n`,
  );

  const connection = await sendRaw(service.port, request);
  await vi.waitUntil(() => begun() === 1);
  connection.socket.write(request.repeat(999));
  await vi.waitUntil(() => sockets[0]?.bytesRead !== request.length);
  for (let count = 0; count < 10; count += 1) await service.request('/health/live');
  expect(sockets[0]?.bytesRead).toBeLessThan(200_000);
  expect(begun()).toBe(1);
  release();

  await vi.waitUntil(() => statusesOf(connection.received()).length === 1000, { timeout: 20_000 });
  expect(new Set(statusesOf(connection.received()))).toEqual(new Set(['200']));
  expect(begun()).toBe(1000);
});

test('requests that have waited leave turns of the event loop to others', async () => {
  const service = await startService();
  const turns = countTurns();
  const seen: number[] = [];
  vi.spyOn(service.app.get(PlantsService), 'find').mockImplementation(async (id) => {
    seen.push(turns());
    return newPlant(id, 'Aloe');
  });

  const connection = await sendRaw(service.port, message('GET', '/plants/1').repeat(60));

  await vi.waitUntil(() => statusesOf(connection.received()).length === 60);
  expect(new Set(seen).size).toBe(60);
});

test('a request whose body takes too long while it waits is answered 408, and not done', async () => {
  const service = await startService({ REQUEST_TIMEOUT_MS: '300' });
  await service.create({ id: 1, name: 'Aloe' });
  const { release } = holdReads(service);
  service.app.getHttpServer().on('clientError', release);

  const connection = await sendRaw(
    service.port,
    message('GET', '/plants/1') + message('PUT', '/plants/2', { name: 'Cactus' }).slice(0, -1),
  );

  expect(statusesOf(await connection.ended)).toEqual(['200', '408']);
  expect(service.log.join('')).not.toContain('"level":"error"');
});

test('a connection on which too many requests wait is cut off', async () => {
  const service = await startService();
  const { release } = holdReads(service);
  const head = message('GET', '/plants/1');
  const one = message('DELETE', '/plants/1');

  const patient = await sendRaw(service.port, head + one.repeat(64));
  const impatient = await sendRaw(service.port, head + one.repeat(65));

  expect(await impatient.ended).toBe('');
  expect(patient.socket.destroyed).toBe(false);
  release();
});

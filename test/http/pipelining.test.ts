import { Agent, request as send } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test, vi } from 'vitest';
import { PlantsService } from '../../src/plants/plants.service.js';
import { requestText, sendRaw } from '../support/network/raw-connection.js';
import { type Service, startService, TOKEN } from '../support/service.js';

const READ = requestText('GET /plants/1');
const PUT = requestText('PUT /plants/2', [], '{"name":"Cactus"}');

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

test.for<[string, string]>([
  ['a request', PUT],
  ['many', PUT.repeat(10_000)],
  ['one that asks before it sends its body', PUT.replace('Host', 'Expect: 100-continue\r\nHost')],
  ['one for another protocol', PUT.replace('Host', 'Connection: upgrade\r\nUpgrade: h2c\r\nHost')],
  ['what is no request', `NONSENSE\r\n\r\n${PUT}`],
])('%s after a request that is being answered has no effect, and ends the connection', async ([, more]) => {
  const service = await startService();
  await service.create({ id: 1, name: 'Aloe' });
  const { release, begun } = holdReads(service);

  const together = await sendRaw(service.port, READ + more);
  const later = await sendRaw(service.port, READ);
  await vi.waitUntil(() => begun() === 2);
  later.socket.write(more);
  await service.request('/health/live');
  release();

  for (const { ended } of [together, later]) {
    expect(await ended).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*\r\nConnection: close\r\n\r\n\{[^{}]*\}$/);
  }
  expect(begun()).toBe(2);
  expect(await service.plants()).toHaveLength(1);
});

test('a response that has begun is sent as a whole when another request arrives, and is the last on its connection', async () => {
  const service = await startService();
  // More than the connection takes while the client reads nothing.
  await service.database.execute(`
    INSERT INTO plants (id, name)
    WITH RECURSIVE n (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n WHERE id < 1000) SELECT id, printf('%.16000c', 'x') FROM n`);

  const connection = await sendRaw(service.port, requestText('GET /plants/export'));
  const { socket } = connection;
  socket.once('data', () => socket.pause());
  await vi.waitUntil(() => connection.received() !== '');
  socket.write(READ.repeat(1000));
  await service.request('/health/live');
  socket.resume();

  const answer = await connection.ended;
  expect(answer.match(/"name"/g)).toHaveLength(1_000);
  expect(answer).toMatch(/\r\n0\r\n\r\n$/);
});

test('a client that goes away after requests that were not begun leaves nothing behind', async () => {
  const service = await startService();
  const { begun, release } = holdReads(service);
  const { socket } = await sendRaw(service.port, READ.repeat(100));
  await vi.waitUntil(() => begun() === 1);

  socket.resetAndDestroy();

  await vi.waitUntil(() => service.log.some((line) => line.includes('request aborted')));
  release();
  await service.stop();
});

test('a request whose head comes to its end after the answer before it is answered', async () => {
  const service = await startService();
  await service.create({ id: 1, name: 'Aloe' });
  const { begun, release } = holdReads(service);

  const connection = await sendRaw(service.port, READ + PUT.slice(0, 30));
  await vi.waitUntil(() => begun() === 1);
  release();
  await vi.waitUntil(() => connection.received().endsWith('}'));
  connection.socket.write(PUT.slice(30));

  await vi.waitUntil(() => /^HTTP\/1\.1 200 [^]*\}HTTP\/1\.1 201 /.test(connection.received()));
});

test('a connection that is kept takes requests of every kind, each right after the other', async () => {
  const service = await startService();
  let opened = 0;
  service.app.getHttpServer().on('connection', () => (opened += 1));
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  const ask = async (method: string, path: string, content?: object, token = TOKEN) =>
    new Promise<number | undefined>((resolve, reject) => {
      const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
      send(`${service.url}${path}`, { method, agent, headers }, (response) => {
        void text(response).then(() => resolve(response.statusCode));
      })
        .on('error', reject)
        .end(content && JSON.stringify(content));
    });

  for (let turn = 0; turn < 15; turn += 1) {
    const statuses = await Promise.all([
      ask('PUT', '/plants/7', { name: 'Aloe' }),
      ask('GET', '/plants/7'),
      ask('PATCH', '/plants/7', { tag: 'succulent' }),
      ask('GET', '/plants'),
      ask('HEAD', '/plants/7'),
      ask('OPTIONS', '/plants'),
      ask('GET', '/plants/export'),
      ask('GET', '/nowhere'),
      ask('POST', '/plants', { id: 7, name: 'Aloe' }),
      ask('PUT', '/plants/7', { name: 'Aloe' }, 'nobody'),
      ask('DELETE', '/plants/7'),
    ]);

    expect(statuses).toEqual([201, 200, 200, 200, 200, 204, 200, 404, 400, 401, 204]);
  }
  expect(opened).toBe(1);
});

import { Agent, request as send } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test, vi } from 'vitest';
import { PlantsService } from '../../src/plants/plants.service.js';
import { sendRaw } from '../support/network/raw-connection.js';
import { type Service, startService, TOKEN } from '../support/service.js';

function message(method: string, path: string, body?: object): string {
  const content = body === undefined ? '' : JSON.stringify(body);
  const head = [
    `${method} ${path} HTTP/1.1`,
    'Host: plants',
    `Authorization: Bearer ${TOKEN}`,
    ...(body === undefined ? [] : ['Content-Type: application/json', `Content-Length: ${content.length}`]),
  ];
  return `${head.join('\r\n')}\r\n\r\n${content}`;
}

const READ = message('GET', '/plants/1');
const PUT = message('PUT', '/plants/2', { name: 'Cactus' });

function statusesOf(received: string): (string | undefined)[] {
  return [...received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);
}

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
  ['a tunnel', `CONNECT plants:80 HTTP/1.1\r\nHost: plants\r\n\r\n${PUT}`],
  ['what is no request', `NONSENSE\r\n\r\n${PUT}`],
])('behind a request that is being answered, %s has no effect, and ends the connection', async ([, more]) => {
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

test('an answer that has begun is whole, and the last one', async () => {
  const service = await startService();
  const lines = Array.from({ length: 20_000 }, (_, id) => JSON.stringify({ id, name: 'Aloe'.repeat(20) }));
  await service.send('POST', '/plants/import', {
    body: lines.join('\n'),
    headers: { 'Content-Type': 'application/x-ndjson' },
  });

  const connection = await sendRaw(service.port, message('GET', '/plants/export'));
  const { socket } = connection;
  socket.once('data', () => socket.pause());
  await vi.waitUntil(() => connection.received() !== '');
  socket.write(READ.repeat(1000));
  await service.request('/health/live');
  socket.resume();

  const answer = await connection.ended;
  expect(answer.match(/"name"/g)).toHaveLength(20_000);
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

  await vi.waitUntil(() => statusesOf(connection.received()).length === 2);
  expect(statusesOf(connection.received())).toEqual(['200', '201']);
});

/** Requests of every kind, with the status of each. */
const CONVERSATION: readonly [string, string][] = [
  [message('PUT', '/plants/7', { name: 'Aloe' }), '201'],
  [message('GET', '/plants/7'), '200'],
  [message('PATCH', '/plants/7', { tag: 'succulent' }), '200'],
  [message('GET', '/plants'), '200'],
  [message('HEAD', '/plants/7'), '200'],
  [message('OPTIONS', '/plants'), '204'],
  [message('GET', '/plants/export'), '200'],
  [message('GET', '/nowhere'), '404'],
  [message('POST', '/plants', { id: 7, name: 'Aloe' }), '400'],
  [message('PUT', '/plants/7', { name: 'Aloe' }).replace(/Authorization: .*\r\n/, ''), '401'],
  [message('DELETE', '/plants/7'), '204'],
];

/** Whether a text is a whole answer to a request. */
function isWhole(request: string, answer: string): boolean {
  const [head = '', body] = answer.split('\r\n\r\n', 2);
  if (body === undefined) return false;
  if (head.includes('chunked')) return answer.endsWith('0\r\n\r\n');
  const length = request.startsWith('HEAD') ? 0 : Number(/Content-Length: (\d+)/.exec(head)?.[1] ?? 0);
  return body.length === length;
}

/** Sends one request after the other, each as soon as the last byte of the answer before it is there. */
async function converse(socket: Socket, requests: readonly string[]): Promise<string[]> {
  const answers: string[] = [];
  let answer = '';
  return new Promise((resolve, reject) => {
    socket.on('error', reject).on('close', () => reject(new Error(`closed after ${answers.length}`)));
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      answer += chunk;
      if (!isWhole(requests[answers.length] ?? '', answer)) return;
      answers.push(answer);
      answer = '';
      const next = requests[answers.length];
      if (next === undefined) resolve(answers);
      else socket.write(next);
    });
    socket.write(requests[0] ?? '');
  });
}

test('a connection takes one request right after the other', async () => {
  const service = await startService();
  const turns = Array.from({ length: 30 }, () => CONVERSATION).flat();

  const answers = await Promise.all(
    [1, 2, 3, 4].map(async (plant) => {
      const socket = connect({ port: service.port, host: '127.0.0.1', noDelay: true });
      onTestFinished(() => void socket.destroy());
      return converse(
        socket,
        turns.map(([request]) => request.replace('/plants/7', `/plants/${plant}`).replace(':7', `:${plant}`)),
      );
    }),
  );

  const statuses = turns.map(([, status]) => status);
  for (const conversation of answers) expect(statusesOf(conversation.join(''))).toEqual(statuses);
});

test('so does one of an Agent, and those of fetch', async () => {
  const service = await startService();
  let opened = 0;
  service.app.getHttpServer().on('connection', () => (opened += 1));
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  const create = async (id: number) =>
    new Promise<number | undefined>((resolve, reject) => {
      const headers = { Authorization: `Bearer ${TOKEN}`, 'Content-Type': 'application/json' };
      send(`${service.url}/plants`, { method: 'POST', agent, headers }, (response) => {
        void text(response).then(() => resolve(response.statusCode));
      })
        .on('error', reject)
        .end(JSON.stringify({ id, name: 'Aloe' }));
    });

  const byAgent = await Promise.all(Array.from({ length: 100 }, async (_, id) => create(id)));
  expect(opened).toBe(1);
  const byFetch: number[] = [];
  for (let id = 1000; id < 1100; id += 1) byFetch.push((await service.create({ id, name: 'Aloe' })).status);

  expect(new Set([...byAgent, ...byFetch])).toEqual(new Set([200]));
  expect(await service.plants()).toHaveLength(200);
});

import { expect, test, vi } from 'vitest';
import { PlantsService } from '../src/plants/plants.service.js';
import { sendRaw } from './support/raw-connection.js';
import { startService, TOKEN } from './support/service.js';

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

  await vi.waitUntil(() => connection.received().endsWith('"tag":"succulent"}'));
  const bodies = connection.received().match(/(?<=\r\n\r\n)[[{].*?(?=HTTP|$)/gs);
  expect([...connection.received().matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)).toEqual([
    '201',
    '200',
    '200',
    '204',
    '404',
    '200',
    '200',
    '200',
  ]);
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

test('a request whose body takes too long while it waits is answered 408, and not done', async () => {
  const service = await startService({ REQUEST_TIMEOUT_MS: '300' });
  await service.create({ id: 1, name: 'Aloe' });
  const { promise: timedOut, resolve: onTimeout } = Promise.withResolvers<void>();
  const plants = service.app.get(PlantsService);
  const find = plants.find.bind(plants);
  vi.spyOn(plants, 'find').mockImplementation(async (id) => {
    await timedOut;
    return find(id);
  });
  service.app.getHttpServer().on('clientError', onTimeout);

  const connection = await sendRaw(
    service.port,
    message('GET', '/plants/1') + message('PUT', '/plants/2', { name: 'Cactus' }).slice(0, -1),
  );

  const received = await connection.ended;
  const statuses = [...received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);
  expect(statuses).toEqual(['200', '408']);
  expect(service.log.join('')).not.toContain('"level":"error"');
});

test('a connection on which too many requests wait is cut off', async () => {
  const service = await startService();
  vi.spyOn(service.app.get(PlantsService), 'find').mockReturnValue(new Promise(() => undefined));
  const head = message('GET', '/plants/1');
  const one = message('DELETE', '/plants/1');

  const patient = await sendRaw(service.port, head + one.repeat(256));
  const impatient = await sendRaw(service.port, head + one.repeat(257));

  expect(await impatient.ended).toBe('');
  expect(patient.socket.destroyed).toBe(false);
});

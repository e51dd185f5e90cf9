import * as fc from 'fast-check';
import { describe, expect, inject, test } from 'vitest';
import { type Answer, type Service, startService } from '../support/service.js';
import { issue } from '../support/tokens.js';

const ALOE = { id: 1, name: 'Aloe', tag: 'succulent' };
const STORED_ALOE = { ...ALOE, id: 1n };
const ETAG = expect.stringMatching(/^"[0-9a-f]{32}"$/) as string;

function send(service: Service, operations: unknown, headers: Record<string, string> = {}): Promise<Answer> {
  return service.send('POST', '/plants/batch', { body: { operations }, headers });
}

test('does all operations in their order, each on what those before it have left', async () => {
  const service = await startService();
  await service.create(ALOE);
  const { headers } = await service.send('GET', '/plants/1');

  const answer = await send(service, [
    { kind: 'patch', id: 1, body: { tag: null }, ifMatch: headers.get('etag') },
    { kind: 'create', body: { id: 2, name: 'Ficus' } },
    { kind: 'patch', id: 2, body: { tag: 'tree' } },
    { kind: 'put', id: 3, body: { name: 'Cactus' }, ifNoneMatch: '*' },
    { kind: 'put', id: 3, body: { name: 'Agave' }, ifMatch: '*' },
    { kind: 'delete', id: 1, ifMatch: '*' },
    { kind: 'create', body: { id: 4, name: 'gone' } },
    { kind: 'delete', id: 4 },
    { kind: 'create', body: { id: 1, name: 'Aloe again' } },
  ]);

  expect(answer).toMatchObject({
    status: 200,
    body: {
      results: [
        { status: 200, body: { id: 1, name: 'Aloe' }, etag: ETAG },
        { status: 200, body: { id: 2, name: 'Ficus' }, etag: ETAG },
        { status: 200, body: { id: 2, name: 'Ficus', tag: 'tree' }, etag: ETAG },
        { status: 201, body: { id: 3, name: 'Cactus' }, etag: ETAG },
        { status: 200, body: { id: 3, name: 'Agave' }, etag: ETAG },
        { status: 204 },
        { status: 200, body: { id: 4, name: 'gone' }, etag: ETAG },
        { status: 204 },
        { status: 200, body: { id: 1, name: 'Aloe again' }, etag: ETAG },
      ],
    },
  });
  expect(await service.plants()).toEqual([
    { id: 1n, name: 'Aloe again', tag: null },
    { id: 2n, name: 'Ficus', tag: 'tree' },
    { id: 3n, name: 'Agave', tag: null },
  ]);
  const { etag } = (answer.body as { results: { etag: string }[] }).results[4] ?? {};
  expect((await service.send('GET', '/plants/3')).headers.get('etag')).toBe(etag);
});

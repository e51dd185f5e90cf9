import { describe, expect, test } from 'vitest';
import { type Service, startService } from '../support/service.js';
import { overtake } from '../support/statements.js';

const ALOE = { id: 1, name: 'Aloe', tag: 'succulent' };
const STORED = { ...ALOE, id: 1n };
const OTHER = '"00000000000000000000000000000000"';

async function storeAloe(): Promise<{ service: Service; etag: string }> {
  const service = await startService();
  await service.create(ALOE);
  const { headers } = await service.send('GET', '/plants/1');
  return { service, etag: headers.get('etag') ?? '' };
}

/** Conditions with `ETAG` for the entity tag that the plant has, and the status where they do not hold. */
const IF_MATCH = [
  ['ETAG'],
  [`${OTHER}, ETAG`],
  [`"a,b" ,\tETAG`],
  [`,, ${OTHER}, ,ETAG ,`],
  ['*'],
  [' * '],
  [`${OTHER},`, 412],
  [OTHER, 412],
  ['""', 412],
  ['"ETA"', 412],
  // Weak tags never match where something is changed.
  ['W/ETAG', 412],
  ...['aloe', 'ETAG ETAG', '"open', '*, ETAG', 'w/ETAG', '"a" "b"', ','].map(
    (condition) => [condition, 400] as const,
  ),
] as const;

const ERRORS = {
  400: {
    error: 40002,
    message: 'A parameter is not valid: If-Match must be * or a list of entity tags in quotes.',
  },
  412: { error: 41200, message: 'The resource does not meet the preconditions of the request.' },
};

test.for([
  ['GET', undefined, 200],
  ['HEAD', undefined, 200],
  ['PUT', { name: 'Cactus' }, 200],
  ['PATCH', { name: 'Cactus' }, 200],
  ['DELETE', undefined, 204],
] as const)('If-Match of %s holds for the tags that it lists', async ([method, body, success]) => {
  const { service, etag } = await storeAloe();

  for (const [condition, failure] of IF_MATCH) {
    const headers = { 'If-Match': condition.replaceAll('ETAG', etag) };
    const answer = await service.send(method, '/plants/1', { body, headers });

    expect(answer.status, condition).toBe(failure ?? success);
    if (failure === undefined) await service.send('PUT', '/plants/1', { body: ALOE });
    else if (method !== 'HEAD') expect(answer.body).toEqual(ERRORS[failure]);
    expect(await service.plants()).toEqual([STORED]);
  }
});

test.for([
  ['PUT', 412, 41200],
  ['PATCH', 404, 40401],
  ['DELETE', 404, 40401],
  ['GET', 404, 40401],
] as const)('If-Match of %s on a plant that does not exist returns %i', async ([method, status, error]) => {
  const service = await startService();
  const body = method.startsWith('P') ? { name: 'Cactus' } : undefined;

  for (const condition of ['*', OTHER])
    expect(
      await service.send(method, '/plants/1', { body, headers: { 'If-Match': condition } }),
    ).toMatchObject({ status, body: { error } });
  expect(await service.plants()).toEqual([]);
});

describe('If-None-Match', () => {
  test('of a read tells what the client has', async () => {
    const { service, etag } = await storeAloe();

    for (const [condition, status] of [
      ['ETAG', 304],
      ['W/ETAG', 304],
      [`${OTHER}, ETAG`, 304],
      ['*', 304],
      [OTHER, 200],
      ['aloe', 400],
    ] as const) {
      const headers = { 'If-None-Match': condition.replaceAll('ETAG', etag) };
      const get = await service.send('GET', '/plants/1', { headers });
      const head = await service.send('HEAD', '/plants/1', { headers });

      expect([get.status, head.status], condition).toEqual([status, status]);
      if (status !== 304) continue;
      expect(get.text).toBe('');
      expect(get.headers.get('etag')).toBe(etag);
      expect(get.headers.get('cache-control')).toBe('private, no-cache');
      expect(get.headers.has('content-type')).toBe(false);
    }
  });

  test('* lets PUT create and not replace', async () => {
    const service = await startService();
    const put = async (name: string) =>
      service.send('PUT', '/plants/1', { body: { name }, headers: { 'If-None-Match': '*' } });

    expect(await put('first')).toMatchObject({ status: 201 });
    expect(await put('second')).toMatchObject({ status: 412, body: { error: 41200 } });
    expect(await service.plants()).toEqual([{ id: 1n, name: 'first', tag: null }]);
  });

  test.for(['PUT', 'PATCH', 'DELETE'] as const)('of %s may be nothing but *', async (method) => {
    const { service, etag } = await storeAloe();
    const body = method === 'DELETE' ? undefined : { name: 'x' };
    const send = async (condition: string) =>
      service.send(method, '/plants/1', { body, headers: { 'If-None-Match': condition } });

    expect(await send('*')).toMatchObject({ status: 412, body: { error: 41200 } });
    expect(await send(etag)).toMatchObject({
      status: 400,
      body: { error: 40002, message: 'A parameter is not valid: If-None-Match must be *.' },
    });
    expect(await service.plants()).toEqual([STORED]);
  });
});

test.for([
  ['PATCH', {}, 'UPDATE', "UPDATE plants SET tag = 'new'", 200, [{ ...STORED, name: 'Cactus', tag: 'new' }]],
  ['PATCH', {}, 'UPDATE', 'DELETE FROM plants', 404, []],
  ['PUT', {}, 'UPDATE', 'DELETE FROM plants', 201, [{ id: 1n, name: 'Cactus', tag: null }]],
  ['PUT', { 'If-Match': 'ETAG' }, 'UPDATE', "UPDATE plants SET tag = 'x'", 412, [{ ...STORED, tag: 'x' }]],
  ['DELETE', { 'If-Match': 'ETAG' }, 'DELETE', "UPDATE plants SET tag = 'x'", 412, [{ ...STORED, tag: 'x' }]],
  ['DELETE', {}, 'DELETE', 'DELETE FROM plants', 404, []],
] as const)(
  'a %s %j that another instance overtakes at its %s by %s is decided again: %i',
  async ([method, conditions, overtaken, other, status, stored]) => {
    const { service, etag } = await storeAloe();
    const isOvertaken = overtake(service, overtaken, other);

    const answer = await service.send(method, '/plants/1', {
      body: method === 'DELETE' ? undefined : { name: 'Cactus' },
      headers: Object.fromEntries(Object.keys(conditions).map((name) => [name, etag])),
    });

    expect(isOvertaken()).toBe(true);
    expect(answer.status).toBe(status);
    expect(await service.plants()).toEqual(stored);
  },
);

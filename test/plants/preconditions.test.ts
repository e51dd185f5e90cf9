import { describe, expect, test } from 'vitest';
import { type Service, startService } from '../support/service.js';

const ALOE = { id: 1, name: 'Aloe', tag: 'succulent' };
const OTHER = '"00000000000000000000000000000000"';

async function storeAloe(): Promise<{ service: Service; etag: string }> {
  const service = await startService();
  await service.create(ALOE);
  const { headers } = await service.send('GET', '/plants/1');
  return { service, etag: headers.get('etag') ?? '' };
}

/** Conditions with `ETAG` for the entity tag that the plant has, and whether they hold. */
const IF_MATCH = [
  ['ETAG', true],
  [`${OTHER}, ETAG`, true],
  [`"a,b" ,\tETAG`, true],
  [`,, ${OTHER}, ,ETAG ,`, true],
  [`${OTHER},`, false],
  ['*', true],
  [' * ', true],
  [OTHER, false],
  ['""', false],
  ['"ETA"', false],
  // Weak tags never match where something is changed.
  ['W/ETAG', false],
] as const;

const MALFORMED = ['aloe', 'ETAG ETAG', '"open', '*, ETAG', 'w/ETAG', '"a" "b"', ','] as const;

const METHODS = [
  ['GET', undefined, 200],
  ['HEAD', undefined, 200],
  ['PUT', { name: 'Cactus' }, 200],
  ['PATCH', { name: 'Cactus' }, 200],
  ['DELETE', undefined, 204],
] as const;

describe.each(METHODS)('If-Match of %s', (method, body, success) => {
  test('holds for the tags that it lists', async () => {
    const { service, etag } = await storeAloe();

    for (const [condition, holds] of IF_MATCH) {
      await service.send('PUT', '/plants/1', { body: ALOE });
      const before = await service.plants();

      const answer = await service.send(method, '/plants/1', {
        body,
        headers: { 'If-Match': condition.replaceAll('ETAG', etag) },
      });

      expect(answer.status, condition).toBe(holds ? success : 412);
      if (!holds && method !== 'HEAD') {
        expect(answer.body).toEqual({
          error: 41200,
          message: 'The resource does not meet the preconditions of the request.',
        });
      }
      if (!holds) expect(await service.plants()).toEqual(before);
    }
  });

  test('is refused when it is no list of entity tags', async () => {
    const { service, etag } = await storeAloe();
    const before = await service.plants();

    for (const condition of MALFORMED) {
      const answer = await service.send(method, '/plants/1', {
        body,
        headers: { 'If-Match': condition.replaceAll('ETAG', etag) },
      });

      expect(answer.status, condition).toBe(400);
      if (method !== 'HEAD') {
        expect(answer.body).toEqual({
          error: 40002,
          message: 'A parameter is not valid: If-Match must be * or a list of entity tags in quotes.',
        });
      }
    }
    expect(await service.plants()).toEqual(before);
  });
});

describe('If-Match where there is no plant', () => {
  test.for([
    ['PUT', '*', 412, 41200],
    ['PUT', OTHER, 412, 41200],
    ['PATCH', '*', 404, 40401],
    ['PATCH', OTHER, 404, 40401],
    ['DELETE', '*', 404, 40401],
    ['DELETE', OTHER, 404, 40401],
    ['GET', '*', 404, 40401],
  ] as const)('%s, %s: %i', async ([method, condition, status, error]) => {
    const service = await startService();
    const body = method === 'GET' || method === 'DELETE' ? undefined : { name: 'Cactus' };

    const answer = await service.send(method, '/plants/1', { body, headers: { 'If-Match': condition } });

    expect(answer).toMatchObject({ status, body: { error } });
    expect(await service.plants()).toEqual([]);
  });
});

describe('If-None-Match of a read', () => {
  test.for([
    ['ETAG', 304],
    ['W/ETAG', 304],
    [`${OTHER}, ETAG`, 304],
    ['*', 304],
    [OTHER, 200],
    ['aloe', 400],
  ] as const)('%s: %i', async ([condition, status]) => {
    const { service, etag } = await storeAloe();
    const headers = { 'If-None-Match': condition.replaceAll('ETAG', etag) };

    const get = await service.send('GET', '/plants/1', { headers });
    const head = await service.send('HEAD', '/plants/1', { headers });

    expect([get.status, head.status]).toEqual([status, status]);
    if (status === 304) {
      expect(get.text).toBe('');
      expect(get.headers.get('etag')).toBe(etag);
      expect(get.headers.get('cache-control')).toBe('private, no-cache');
      expect(get.headers.has('content-type')).toBe(false);
    }
  });
});

describe('If-None-Match of a write', () => {
  test('* lets PUT create and not replace', async () => {
    const service = await startService();
    const put = async (name: string) =>
      service.send('PUT', '/plants/1', { body: { name }, headers: { 'If-None-Match': '*' } });

    expect(await put('first')).toMatchObject({ status: 201 });
    expect(await put('second')).toMatchObject({ status: 412, body: { error: 41200 } });
    expect(await service.plants()).toEqual([{ id: 1n, name: 'first', tag: null }]);
  });

  test.for(['PATCH', 'DELETE'] as const)('* keeps %s from any plant', async (method) => {
    const { service } = await storeAloe();

    const answer = await service.send(method, '/plants/1', {
      body: method === 'PATCH' ? {} : undefined,
      headers: { 'If-None-Match': '*' },
    });

    expect(answer).toMatchObject({ status: 412, body: { error: 41200 } });
    expect(await service.plants()).toHaveLength(1);
  });

  test.for(['PUT', 'PATCH', 'DELETE'] as const)('of %s may be nothing but *', async (method) => {
    const { service, etag } = await storeAloe();

    const answer = await service.send(method, '/plants/1', {
      body: method === 'DELETE' ? undefined : { name: 'x' },
      headers: { 'If-None-Match': etag },
    });

    expect(answer).toMatchObject({
      status: 400,
      body: { error: 40002, message: 'A parameter is not valid: If-None-Match must be *.' },
    });
  });
});

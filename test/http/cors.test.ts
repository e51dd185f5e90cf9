import { describe, expect, test } from 'vitest';
import { type Service, startService, TOKEN } from '../support/service.js';

const APP = 'https://app.example.org';
const OTHER = 'https://app.example.org.evil.example';
const CORS_ORIGINS = `${APP}, http://localhost:5173`;
const EXPOSED =
  'Allow,Content-Disposition,ETag,Link,Location,RateLimit,RateLimit-Policy,Retry-After,WWW-Authenticate,X-Caught-Up,X-Next-After,X-Total-Count,X-Request-Id';

/** The headers of an answer that CORS is about. */
function corsHeaders(headers: Headers): Record<string, string> {
  return Object.fromEntries(
    [...headers].filter(
      ([name, value]) => (name === 'vary' && value.includes('Origin')) || name.startsWith('access-control-'),
    ),
  );
}

const AUTHORIZATION = { Authorization: `Bearer ${TOKEN}` };
const JSON_BODY = { ...AUTHORIZATION, 'Content-Type': 'application/json' };
const PLANT = '{"id":1,"name":"Aloe"}';

/** Requests, with the status of their answer: method, path, headers, body. */
const REQUESTS: [number, string, string, Record<string, string>, string?][] = [
  [200, 'GET', '/health/live', {}],
  [200, 'GET', '/docs', {}],
  [200, 'GET', '/openapi.json', {}],
  [200, 'GET', '/plants', AUTHORIZATION],
  [200, 'POST', '/plants', JSON_BODY, PLANT],
  [201, 'PUT', '/plants/2', JSON_BODY, PLANT],
  [204, 'OPTIONS', '/plants', {}],
  [400, 'GET', '/plants/x', AUTHORIZATION],
  [400, 'POST', '/plants', JSON_BODY, 'nonsense'],
  [401, 'GET', '/plants', {}],
  [404, 'GET', '/nowhere', {}],
  [405, 'DELETE', '/plants', {}],
  [413, 'POST', '/plants', JSON_BODY, ' '.repeat(131_073)],
  [415, 'POST', '/plants', { ...JSON_BODY, 'Content-Type': 'text/plain' }, PLANT],
];
const PREFLIGHT: (typeof REQUESTS)[number] = [
  204,
  'OPTIONS',
  '/plants',
  { 'Access-Control-Request-Method': 'POST' },
];

async function ask(service: Service, [, method, path, headers, body]: typeof PREFLIGHT, origin?: string) {
  await service.database.execute('DELETE FROM plants');
  return service.request(path, {
    method,
    headers: origin === undefined ? headers : { ...headers, Origin: origin },
    ...(body !== undefined && { body }),
  });
}

test('without CORS_ORIGINS, no answer says anything of CORS', async () => {
  const service = await startService();

  for (const request of [...REQUESTS, PREFLIGHT]) {
    const answer = await ask(service, request, APP);

    expect(answer.status).toBe(request[0]);
    expect(corsHeaders(answer.headers)).toEqual({});
  }
});

describe('with CORS_ORIGINS', () => {
  test('every answer can be read by a page of a named origin only', async () => {
    const service = await startService({ CORS_ORIGINS });

    for (const request of REQUESTS) {
      const named = await ask(service, request, APP);
      const others = [
        await ask(service, request, OTHER),
        await ask(service, request, 'null'),
        await ask(service, request),
      ];

      expect(corsHeaders(named.headers)).toMatchObject({
        'access-control-allow-origin': APP,
        'access-control-expose-headers': EXPOSED,
        vary: expect.stringContaining('Origin'),
      });
      expect(named.headers.has('access-control-allow-credentials')).toBe(false);
      for (const { headers } of others) {
        expect(headers.has('access-control-allow-origin')).toBe(false);
        expect(headers.get('vary')).toContain('Origin');
      }
      expect(others.at(-1)?.headers.has('access-control-expose-headers')).toBe(false);
      for (const { status } of [named, ...others]) expect(status).toBe(request[0]);
    }
  });

  test('a preflight is answered 204 without a token', async () => {
    const service = await startService({ CORS_ORIGINS });

    for (const path of ['/plants', '/plants/1', '/health/live']) {
      const answer = await service.request(path, {
        method: 'OPTIONS',
        headers: {
          Origin: 'http://localhost:5173',
          'Access-Control-Request-Method': 'PUT',
          'Access-Control-Request-Headers': 'authorization,content-type,if-match',
        },
      });

      expect(answer).toMatchObject({ status: 204, text: '' });
      expect(corsHeaders(answer.headers)).toEqual({
        'access-control-allow-origin': 'http://localhost:5173',
        'access-control-allow-methods': 'GET,HEAD,POST,PUT,PATCH,DELETE',
        'access-control-allow-headers': 'authorization,content-type,if-match',
        'access-control-expose-headers': EXPOSED,
        'access-control-max-age': '7200',
        vary: 'Origin, Access-Control-Request-Headers',
      });
      expect(answer.headers.get('x-request-id')).toMatch(/./);
    }
  });

  test('a preflight from elsewhere gets no permission', async () => {
    const service = await startService({ CORS_ORIGINS });
    const elsewhere = ['https://APP.example.org', `${APP}:443`, `${APP}/`, 'http://app.example.org', '*'];

    for (const origin of [OTHER, 'null', ...elsewhere]) {
      const { headers } = await ask(service, PREFLIGHT, origin);

      expect(headers.has('access-control-allow-origin'), origin).toBe(false);
      expect(headers.get('vary')).toContain('Origin');
    }
  });

  test('an OPTIONS that is no preflight still tells what a path allows', async () => {
    const service = await startService({ CORS_ORIGINS });

    const answer = await service.request('/plants', { method: 'OPTIONS', headers: { Origin: APP } });
    const unknown = await service.request('/nowhere', { method: 'OPTIONS', headers: { Origin: APP } });

    expect(answer).toMatchObject({ status: 204, text: '' });
    expect(answer.headers.get('allow')).toBe('GET, HEAD, OPTIONS, POST');
    expect(unknown).toMatchObject({ status: 404, body: { error: 40400 } });
  });
});

import { describe, expect, test } from 'vitest';
import { AccessTokensService } from '../src/auth/access-tokens.service.js';
import { type Scope, SCOPES } from '../src/auth/scope.js';
import { startService } from './support/service.js';

/** What everybody may ask for; every other route needs a token. */
const PUBLIC = ['/docs', '/health/live', '/health/ready', '/openapi.json'];

describe('routes', () => {
  test('are all guarded, except those declared public', async () => {
    const service = await startService();
    const { router } = service.app.getHttpAdapter().getInstance();
    const routes = router.stack
      .flatMap(({ route }) => route ?? [])
      .flatMap(({ path, stack }) => stack.map(({ method }) => ({ path, method: method.toUpperCase() })));

    const open: string[] = [];
    for (const { path, method } of routes) {
      const { status } = await service.request(path, { method, redirect: 'manual' });
      if (status !== 401) open.push(path);
    }

    expect(routes.map(({ path }) => path)).toContain('/plants');
    expect(new Set(open.map((path) => (path.startsWith('/docs') ? '/docs' : path)))).toEqual(new Set(PUBLIC));
  });

  test.for([
    '/',
    '/plant',
    '/plants/',
    '/Plants',
    '/PLANTS',
    '/plants/x/y',
    '//plants',
    '/health',
    '/health/live/',
    '/%',
    '/%ff',
  ])('do not include %s', async (path) => {
    const service = await startService();

    const answer = await service.request(path, { method: 'POST' });

    expect(answer).toMatchObject({ status: 404, body: { error: 40400, message: expect.any(String) } });
  });

  test.for([
    ['PUT', '/plants', 'GET, HEAD, OPTIONS, POST'],
    ['DELETE', '/plants?x=1', 'GET, HEAD, OPTIONS, POST'],
    ['POST', '/plants/1', 'DELETE, GET, HEAD, OPTIONS, PATCH, PUT'],
    ['GET', '/plants/import', 'OPTIONS, POST'],
    ['DELETE', '/plants/import', 'OPTIONS, POST'],
    ['PUT', '/plants/export', 'GET, HEAD, OPTIONS'],
    ['POST', '/health/live', 'GET, HEAD, OPTIONS'],
    ['PATCH', '/openapi.json', 'GET, HEAD, OPTIONS'],
  ] as const)('answer %s %s with 405 and what they allow', async ([method, path, allow]) => {
    const service = await startService();

    const answer = await service.request(path, { method });

    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toBe(allow);
    expect(answer.body).toMatchObject({ error: 40500 });
  });

  test.for([
    ['/plants', 'GET, HEAD, OPTIONS, POST', null],
    ['/plants/1', 'DELETE, GET, HEAD, OPTIONS, PATCH, PUT', 'application/merge-patch+json, application/json'],
    ['/plants/import', 'OPTIONS, POST', null],
    ['/plants/export', 'GET, HEAD, OPTIONS', null],
    ['/health/live', 'GET, HEAD, OPTIONS', null],
  ] as const)('answer OPTIONS %s with what they allow', async ([path, allow, acceptPatch]) => {
    const service = await startService();

    const answer = await service.request(path, { method: 'OPTIONS' });

    expect(answer).toMatchObject({ status: 204, text: '' });
    expect(answer.headers.get('allow')).toBe(allow);
    expect(answer.headers.get('accept-patch')).toBe(acceptPatch);
  });

  test('answer OPTIONS with 404 where there are none', async () => {
    const service = await startService();

    expect(await service.request('/nowhere', { method: 'OPTIONS' })).toMatchObject({ status: 404 });
  });

  test.for([
    ['POST', '/plants', ['plants:write']],
    ['GET', '/plants', ['plants:read']],
    ['GET', '/plants/1', ['plants:read']],
    ['HEAD', '/plants/1', ['plants:read']],
    ['PUT', '/plants/1', ['plants:write']],
    ['PATCH', '/plants/1', ['plants:read', 'plants:write']],
    ['DELETE', '/plants/1', ['plants:write']],
    ['POST', '/plants/import', ['plants:write']],
    ['GET', '/plants/export', ['plants:read']],
    ['HEAD', '/plants/export', ['plants:read']],
  ] as const)('need scopes: %s %s takes %s', async ([method, path, required]) => {
    const service = await startService();
    const tokens = service.app.get(AccessTokensService);
    const statusWith = async (scopes: readonly Scope[]) => {
      const { secret } = await tokens.issue({ name: 'test', scopes, expiresAt: null });
      return (await service.send(method, path, { headers: { Authorization: `Bearer ${secret}` } })).status;
    };

    for (const scope of required) {
      expect(await statusWith(SCOPES.filter((other) => other !== scope))).toBe(403);
    }
    expect([401, 403]).not.toContain(await statusWith(required));
  });

  test('answer HEAD like GET, without the body', async () => {
    const service = await startService();

    const get = await service.request('/health/live');
    const head = await service.request('/health/live', { method: 'HEAD' });

    expect(get).toMatchObject({ status: 200, text: '{"status":"ok"}' });
    expect(head).toMatchObject({ status: 200, text: '' });
    expect(head.headers.get('content-length')).toBe(get.headers.get('content-length'));
  });
});

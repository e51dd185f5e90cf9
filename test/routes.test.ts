import { describe, expect, test } from 'vitest';
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
    ['GET', '/plants', 'OPTIONS, POST'],
    ['PUT', '/plants', 'OPTIONS, POST'],
    ['DELETE', '/plants?x=1', 'OPTIONS, POST'],
    ['HEAD', '/plants', 'OPTIONS, POST'],
    ['POST', '/health/live', 'GET, HEAD, OPTIONS'],
    ['PATCH', '/openapi.json', 'GET, HEAD, OPTIONS'],
  ] as const)('answer %s %s with 405 and what they allow', async ([method, path, allow]) => {
    const service = await startService();

    const answer = await service.request(path, { method });

    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toBe(allow);
    if (method !== 'HEAD') expect(answer.body).toMatchObject({ error: 40500 });
  });

  test('answer OPTIONS with what they allow', async () => {
    const service = await startService();

    const answer = await service.request('/plants', { method: 'OPTIONS' });

    expect(answer).toMatchObject({ status: 204, text: '' });
    expect(answer.headers.get('allow')).toBe('OPTIONS, POST');
    expect(await service.request('/nowhere', { method: 'OPTIONS' })).toMatchObject({ status: 404 });
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

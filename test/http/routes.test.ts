import { describe, expect, test } from 'vitest';
import { SCOPES } from '../../src/app.module.js';
import { AccessTokensService } from '../../src/auth/access-tokens.service.js';
import { type Document, operationsOf } from '../contract/document.js';
import { OPERATIONS, PUBLIC_OPERATIONS } from '../support/operations.js';
import { startService } from '../support/service.js';

/** What everybody may ask for; every other route needs a token. */
const PUBLIC = ['GET /', 'GET /console', 'GET /docs', 'GET /openapi.json', ...PUBLIC_OPERATIONS];

const METHODS = ['DELETE', 'GET', 'PATCH', 'POST', 'PUT'];

function matches(template: string, path: string): boolean {
  return new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/{]+')}$`).test(path);
}

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
      if (status !== 401) open.push(`${method} ${path.replace(/^(\/docs|\/console)\/.*/, '$1')}`);
    }

    expect(routes.map(({ path }) => path)).toContain('/plants');
    expect(new Set(open)).toEqual(new Set(PUBLIC));
  });

  test('are all in the table of operations, which the tests of scopes and documents go by', async () => {
    const service = await startService();

    const { all } = operationsOf((await service.request('/openapi.json')).body as Document);

    expect(new Set(all)).toEqual(new Set(Object.keys(OPERATIONS)));
  });

  test.for([
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

  test('answer other methods than they have with 405, OPTIONS with 204, and both with what they allow', async () => {
    const service = await startService();
    const { paths } = (await service.request('/openapi.json')).body as Document;

    const templates = Object.keys(paths);
    for (const [template, operations] of Object.entries({ ...paths, '/openapi.json': { get: {} } })) {
      const path = template.replace('{id}', '1');
      const methods = Object.keys(operations).map((method) => method.toUpperCase());
      const allowed = [...methods, 'OPTIONS', ...(methods.includes('GET') ? ['HEAD'] : [])]
        .toSorted()
        .join(', ');

      const options = await service.request(path, { method: 'OPTIONS' });

      expect(options, path).toMatchObject({ status: 204, text: '' });
      expect(options.headers.get('allow'), path).toBe(allowed);
      // Otherwise `/plants/{id}` takes the request.
      const isLiteral = templates.some((other) => other !== template && matches(other, template));
      for (const method of isLiteral ? [] : METHODS.filter((other) => !methods.includes(other))) {
        const answer = await service.request(`${path}?x=1`, { method });
        expect(answer, `${method} ${path}`).toMatchObject({ status: 405, body: { error: 40500 } });
        expect(answer.headers.get('allow'), `${method} ${path}`).toBe(allowed);
      }
    }
  });

  test('answer OPTIONS with the patches that they take', async () => {
    const service = await startService();

    const { headers } = await service.request('/plants/1', { method: 'OPTIONS' });
    const others = await service.request('/plants', { method: 'OPTIONS' });

    expect(headers.get('accept-patch')).toBe('application/merge-patch+json, application/json');
    expect(others.headers.get('accept-patch')).toBeNull();
  });

  test('answer OPTIONS with 404 where there are none', async () => {
    const service = await startService();

    expect(await service.request('/nowhere', { method: 'OPTIONS' })).toMatchObject({ status: 404 });
  });

  test.for(Object.entries(OPERATIONS).filter(([, scopes]) => scopes.length > 0))(
    'need scopes: %s takes %s',
    async ([operation, required]) => {
      const service = await startService();
      const tokens = service.app.get(AccessTokensService);
      const [method = '', path = ''] = operation.replace('{id}', '1').split(' ');
      const statusesWith = async (scopes: readonly string[]) => {
        const { secret } = await tokens.issue({ name: 'test', scopes, expiresAt: null });
        const headers = { Authorization: `Bearer ${secret}` };
        const methods = method === 'GET' ? ['GET', 'HEAD'] : [method];
        return Promise.all(methods.map(async (name) => (await service.send(name, path, { headers })).status));
      };

      for (const scope of required) {
        const refused = await statusesWith(SCOPES.filter((other) => other !== scope));
        expect(new Set(refused)).toEqual(new Set([403]));
      }
      for (const status of await statusesWith(required)) expect([401, 403]).not.toContain(status);
    },
  );

  test('answer HEAD like GET, without the body', async () => {
    const service = await startService();

    const get = await service.request('/health/live');
    const head = await service.request('/health/live', { method: 'HEAD' });

    expect(get).toMatchObject({ status: 200, text: '{"status":"ok"}' });
    expect(head).toMatchObject({ status: 200, text: '' });
    expect(head.headers.get('content-length')).toBe(get.headers.get('content-length'));
  });
});

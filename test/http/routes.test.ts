import { Controller, Get, Param } from '@nestjs/common';
import { describe, expect, test } from 'vitest';
import { SCOPES } from '../../src/app.module.js';
import { Public } from '../../src/kernel/auth/access.decorators.js';
import { type Document, operationsOf } from '../contract/document.js';
import { OPERATIONS, PUBLIC_OPERATIONS } from '../contract/operations.js';
import { extend, startService } from '../support/service.js';
import { issue } from '../support/tokens.js';

/** What everybody may ask for; every other route needs a token. */
const PUBLIC = ['GET /', 'GET /console', 'GET /docs', 'GET /openapi.json', ...PUBLIC_OPERATIONS];

const METHODS = ['DELETE', 'GET', 'PATCH', 'POST', 'PUT'];

function matches(template: string, path: string): boolean {
  return new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/{]+')}$`).test(path);
}

@Public()
@Controller()
class AddedController {
  @Get('plants/:id/:part')
  findPart(@Param('part') part: string): string {
    return `part ${part}`;
  }

  @Get('plants/:id/photo')
  photo(@Param('id') id: string): string {
    return `photo of ${id}`;
  }

  @Get('plants/species')
  species(): string {
    return 'species';
  }
}

test('a literal path wins over a parameter that was declared before it, also by another controller', async () => {
  extend('controllers', AddedController);
  const service = await startService();

  for (const [path, body] of [
    ['species', 'species'],
    ['1/photo', 'photo of 1'],
    ['1/leaf', 'part leaf'],
  ])
    expect((await service.request(`/plants/${path}`)).body, path).toBe(body);
});

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

  test('are all in the table of operations in README.md, which the tests of scopes and documents go by', async () => {
    const service = await startService();

    const { all } = operationsOf((await service.request('/openapi.json')).body as Document);

    const listed = Object.keys(OPERATIONS);
    const [missing, gone] = [
      all.filter((one) => !listed.includes(one)),
      listed.filter((one) => !all.includes(one)),
    ];
    expect(missing, 'add a row for each of these to the table of operations in README.md').toEqual([]);
    expect(gone, 'the service does not have these: remove their rows from README.md').toEqual([]);
  });

  test('do not match paths that only look like theirs', async () => {
    const service = await startService();
    const paths = '/plant /plants/ /Plants /PLANTS /plants/x/y //plants /health /health/live/ /% /%ff';

    for (const path of paths.split(' ')) {
      const answer = await service.request(path, { method: 'POST' });

      expect(answer, path).toMatchObject({ status: 404, body: { error: 40400 } });
    }
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

  test('need the scopes that README.md lists for them', async () => {
    const service = await startService();
    const statusesWith = async (method: string, path: string, scopes: readonly string[]) => {
      const { headers } = await issue(service, scopes);
      const methods = method === 'GET' ? ['GET', 'HEAD'] : [method];
      return Promise.all(methods.map(async (name) => (await service.send(name, path, { headers })).status));
    };

    for (const [operation, alternatives] of Object.entries(OPERATIONS).filter(
      ([, lists]) => lists.length > 0,
    )) {
      const [method = '', path = ''] = operation.replaceAll(/\{\w+\}/g, '1').split(' ');
      // One scope of each alternative is missing.
      const missing = alternatives.reduce<string[][]>(
        (sets, list) => sets.flatMap((set) => list.map((scope) => [...set, scope])),
        [[]],
      );
      for (const set of missing) {
        const others = SCOPES.filter((other) => !set.includes(other));
        expect(new Set(await statusesWith(method, path, others)), operation).toEqual(new Set([403]));
      }
      for (const required of alternatives)
        for (const status of await statusesWith(method, path, required))
          expect([401, 403], operation).not.toContain(status);
    }
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

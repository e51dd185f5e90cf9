import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect, test } from 'vitest';
import { agreedContract, breaksOf, type Document, operationsOf } from '../contract/document.js';
import { OPERATIONS, PUBLIC_OPERATIONS } from '../support/operations.js';
import { type Answer, createRequest, importRequest, type Service, startService } from '../support/service.js';
import { issue, listed } from '../support/tokens.js';

async function servedDocument(service: Service): Promise<Document> {
  return (await service.request('/openapi.json')).body as Document;
}

describe('the served contract', () => {
  test('is OpenAPI 3.1.0, version 1.0.0, MIT, and names the address of the service', async () => {
    const byDefault = await startService();
    const configured = await startService({ BASE_URL: 'https://plants.example.org/store/' });

    expect(await servedDocument(byDefault)).toMatchObject({
      openapi: '3.1.0',
      info: { version: '1.0.0', license: { name: 'MIT' } },
      servers: [{ url: byDefault.url }],
    });
    expect((await servedDocument(configured)).servers).toEqual([{ url: 'https://plants.example.org/store' }]);
  });

  test('promises all that was agreed', async () => {
    expect(breaksOf(agreedContract, await servedDocument(await startService()))).toEqual([]);
  });

  test('has every operation, and asks for a bearer token on all that are not public', async () => {
    const document = await servedDocument(await startService());

    const { all, open } = operationsOf(document);

    expect(all).toEqual(expect.arrayContaining(Object.keys(OPERATIONS)));
    expect(open).toEqual(PUBLIC_OPERATIONS);
    expect(document.security).toEqual([{ bearer: [] }]);
    expect(document.components.securitySchemes).toMatchObject({ bearer: { bearerFormat: 'opaque' } });
  });

  test('says of every operation which scopes it requires, and an effect besides', async () => {
    const { paths } = await servedDocument(await startService());

    for (const [name, scopes] of Object.entries(OPERATIONS)) {
      const [method = '', path = ''] = name.split(' ');
      const { description = '', security } = paths[path]?.[method.toLowerCase()] ?? {};
      const names = scopes.map((scope) => `\`${scope}\``).join(' and ');
      const isPublic = PUBLIC_OPERATIONS.includes(name);
      const required = names === '' ? 'an access token, with any scopes' : names;
      const access = isPublic ? 'Needs no access token.' : `Requires ${required}.`;
      expect(security, name).toEqual(isPublic ? [] : [{ bearer: scopes }]);
      expect(description, name).toMatch(/^[A-Z].+\.\n\n/);
      expect(description.endsWith(`\n\n${access}`), `${name}: ${description}`).toBe(true);
    }
  });

  test('has an example of every parameter, with which a request succeeds', async () => {
    const service = await startService();
    const { paths, components } = await servedDocument(service);
    await service.create({ id: 1, name: 'Monstera deliciosa', tag: 'houseplant' });
    const parameters = Object.entries(paths).flatMap(([path, operations]) =>
      Object.values(operations).flatMap(({ parameters: own = [] }) =>
        own.map((parameter) => ({ path, ...parameter })),
      ),
    );
    const { limit, after, tag, name } = Object.fromEntries(
      parameters
        .filter(({ path }) => path === '/plants')
        .map((parameter) => [parameter.name, parameter.example]),
    ) as Record<string, string>;

    const list = await service.send(
      'GET',
      `/plants?${new URLSearchParams({ limit, after, tag, name } as Record<string, string>).toString()}`,
    );

    expect(list).toMatchObject({ status: 200, body: [{ id: 1 }] });
    const withoutExample = parameters.filter(
      ({ $ref, name: own, example }) => $ref === undefined && example === undefined && own !== 'after',
    );
    // A cursor is one of the order of its list: lists of resources to come need not have an example of it.
    expect(withoutExample).toEqual([]);
    expect(components.parameters['RequestId']?.example).toBeTypeOf('string');
  });

  test('has a pattern for conditions that the service keeps to', async () => {
    const service = await startService();
    const { paths } = await servedDocument(service);
    const { parameters = [] } = paths['/plants/{id}']?.['delete'] ?? {};
    const pattern = new RegExp(
      parameters.find(({ name }) => name === 'If-Match')?.schema?.pattern ?? '',
      'u',
    );
    const conditions = [
      '*',
      '"a"',
      '""',
      'W/"a"',
      '"a", W/"b"',
      ',"a",,"\u00fc",',
      '"a,b"',
      'a',
      '"a',
      '"a""b"',
      '*, "a"',
      '"a b"',
      'w/"a"',
    ];

    const statuses = await Promise.all(
      conditions.map(
        async (condition) =>
          (await service.send('DELETE', '/plants/1', { headers: { 'If-Match': condition } })).status,
      ),
    );

    // There is no plant, so that it does not matter whether a valid one is met.
    expect(conditions.filter((condition) => pattern.test(condition))).toHaveLength(7);
    expect(statuses).toEqual(conditions.map((condition) => (pattern.test(condition) ? 404 : 400)));
  });

  test('documents what any operation answers, with examples of errors that are of the operation', async () => {
    const { paths } = await servedDocument(await startService());
    const operations = Object.values(paths).flatMap((path) => Object.values(path));
    const message = (path: string, method: string, error: number) => {
      const status = Math.floor(error / 100);
      return paths[path]?.[method]?.responses[status]?.content?.['application/json']?.examples?.[error]
        ?.value;
    };

    for (const { responses } of operations)
      expect(Object.keys(responses)).toEqual(expect.arrayContaining(['405', '408', '431', '503']));
    for (const { responses, security } of operations)
      expect(Object.hasOwn(responses, '429')).toBe(security?.length !== 0);
    expect(message('/plants/import', 'post', 41500)).toEqual({
      error: 41500,
      message: 'The body must be application/x-ndjson in UTF-8.',
    });
    expect(message('/plants/{id}', 'get', 40002)).toMatchObject({
      message: expect.stringMatching(/: id must be an integer from/) as string,
    });
    expect(message('/plants', 'get', 40002)).toMatchObject({
      message: expect.stringMatching(/: limit must be an integer from/) as string,
    });
    expect(message('/plants', 'get', 40300)).toMatchObject({
      message: expect.stringMatching(/plants:read\.$/) as string,
    });
    expect(message('/plants', 'get', 40500)).toMatchObject({
      message: expect.stringMatching(/GET, HEAD, OPTIONS, POST\.$/) as string,
    });
  });

  test('has no errors and no warnings for an OpenAPI linter', async () => {
    const { text } = await (await startService()).request('/openapi.json');

    const problems = await lintFromString({
      source: text,
      config: await createConfig({ extends: ['recommended-strict'] }),
    });

    expect(problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([]);
  });

  test('shows no number that a viewer would round', async () => {
    const { text } = await (await startService()).request('/openapi.json');

    const texts = /"(?:[^"\\]|\\.)*"/g;
    expect(text.replaceAll(texts, '""')).not.toMatch(/\d{16}/);
  });
});

describe('real answers', () => {
  test('are what the served contract says', async () => {
    const service = await startService({}, undefined, { authFailureLimit: 1 });
    const document = await servedDocument(service);
    const plant = { id: 1, name: 'Aloe', tag: 'succulent' };
    const one = async (method: string, id: string, body?: unknown, headers?: Record<string, string>) =>
      service.send(method, `/plants/${id}`, { body, ...(headers && { headers }) });
    const reader = await issue(service, ['plants:read'], new Date('2099-01-01'));
    const [few, own] = [reader.headers, (await listed(service))[0]?.id];
    const token = { name: 'greenhouse', scopes: ['plants:read'] };
    const expiresAt = '2000-01-01T00:00:00Z';
    const tag = { 'If-Match': '"00000000000000000000000000000000"' };

    const answers: [string, string, Answer][] = [
      ['/tokens/current', 'get', await service.send('GET', '/tokens/current', { headers: few })],
      ['/plants', 'post', await service.create(plant)],
      ['/plants', 'post', await service.create({ id: 2, name: 'Aloe' })],
      ['/plants', 'post', await service.create(plant)],
      ['/plants', 'post', await service.create({})],
      ['/plants', 'post', await service.create('')],
      ['/plants', 'post', await service.create(plant, { Authorization: '' })],
      ['/plants', 'post', await service.create(plant, { Authorization: 'Bearer nobody' })],
      ['/plants', 'post', await service.create(plant, { Authorization: 'Bearer nobody' })],
      ['/plants', 'post', await service.create(' '.repeat(131_073))],
      ['/plants', 'post', await service.create(plant, { 'Content-Type': 'text/plain' })],
      ['/plants', 'get', await service.send('GET', '/plants')],
      ['/plants', 'get', await service.send('GET', '/plants?limit=1&after=0')],
      ['/plants', 'get', await service.send('GET', '/plants?limit=0')],
      ['/plants', 'get', await service.request('/plants')],
      ['/plants', 'get', await service.send('PUT', '/plants', { body: plant })],
      ['/metrics', 'get', await service.send('GET', '/metrics')],
      ['/metrics', 'get', await service.request('/metrics')],
      ['/plants/count', 'get', await service.send('GET', '/plants/count')],
      ['/plants/count', 'get', await service.send('GET', '/plants/count?tag=%00')],
      ['/plants/count', 'get', await service.request('/plants/count')],
      ['/plants/{id}', 'get', await one('GET', '1')],
      ['/plants/{id}', 'get', await one('GET', '1', undefined, { 'If-None-Match': '*' })],
      ['/plants/{id}', 'get', await one('GET', '1', undefined, tag)],
      ['/plants/{id}', 'get', await one('GET', '3')],
      ['/plants/{id}', 'get', await one('GET', 'x')],
      ['/plants/{id}', 'put', await one('PUT', '4', plant)],
      ['/plants/{id}', 'put', await one('PUT', '4', plant)],
      ['/plants/{id}', 'put', await one('PUT', '4', plant, { 'If-None-Match': '*' })],
      ['/plants/{id}', 'put', await one('PUT', '4', {})],
      ['/plants/{id}', 'put', await one('PUT', '4', ' '.repeat(101))],
      ['/plants/{id}', 'patch', await one('PATCH', '4', { tag: null })],
      ['/plants/{id}', 'patch', await one('PATCH', '5', { tag: null })],
      ['/plants/{id}', 'patch', await one('PATCH', '4', {}, tag)],
      ['/plants/{id}', 'patch', await one('PATCH', '4', {}, { 'Content-Type': 'text/plain' })],
      ['/plants/{id}', 'delete', await one('DELETE', '4', undefined, tag)],
      ['/plants/{id}', 'delete', await one('DELETE', '4')],
      ['/plants/{id}', 'delete', await one('DELETE', '4')],
      ['/plants/{id}', 'delete', await one('DELETE', '9223372036854775808')],
      ['/plants/import', 'post', await service.request('/plants/import', importRequest([plant, {}]))],
      ['/plants/import', 'post', await service.request('/plants/import', importRequest(''))],
      ['/plants/import', 'post', await service.request('/plants/import', createRequest(plant))],
      ['/plants/import', 'post', await service.request('/plants/import', { method: 'POST' })],
      ['/plants/export', 'get', await service.send('GET', '/plants/export')],
      ['/plants/export', 'get', await service.request('/plants/export')],
      ['/tokens', 'post', await service.send('POST', '/tokens', { body: token })],
      ['/tokens', 'post', await service.send('POST', '/tokens', { body: { ...token, expiresAt } })],
      ['/tokens', 'post', await service.send('POST', '/tokens', { body: {} })],
      ['/tokens', 'post', await service.send('POST', '/tokens', { body: token, headers: few })],
      ['/tokens', 'get', await service.send('GET', '/tokens')],
      ['/tokens', 'get', await service.send('GET', '/tokens?limit=1')],
      ['/tokens', 'get', await service.send('GET', '/tokens?after=0')],
      ['/tokens/current', 'get', await service.send('GET', '/tokens/current')],
      ['/tokens/current', 'get', await service.request('/tokens/current')],
      ['/tokens/{id}', 'delete', await service.send('DELETE', `/tokens/${reader.id}`)],
      ['/tokens/{id}', 'delete', await service.send('DELETE', `/tokens/${reader.id}?lastAdmin=`)],
      ['/tokens/{id}', 'delete', await service.send('DELETE', '/tokens/nobody')],
      ['/tokens/{id}', 'delete', await service.send('DELETE', `/tokens/${own}`)],
      ['/tokens', 'get', await service.send('GET', '/tokens')],
      ['/health/live', 'get', await service.request('/health/live')],
      ['/health/ready', 'get', await service.request('/health/ready')],
    ];

    expect(new Set(answers.map(([, , { status }]) => status))).toEqual(
      new Set([200, 201, 204, 304, 400, 401, 403, 404, 405, 409, 412, 413, 415, 429]),
    );
    for (const [path, method, answer] of answers) expectAsDocumented(document, path, method, answer);
  });
});

function expectAsDocumented(document: Document, path: string, method: string, answer: Answer): void {
  const what = `${method} ${path} ${answer.status} ${answer.text}`;
  const response = document.paths[path]?.[method]?.responses[answer.status];
  expect(response, `${what} is documented`).toBeDefined();
  const { content, headers = {} } = response ?? {};
  if (content === undefined) expect(answer.text, what).toBe('');
  else {
    const [mediaType = ''] = answer.headers.get('content-type')?.split(';') ?? [];
    const documented = content[mediaType]?.schema;
    expect(documented, `${what} is documented`).toBeDefined();
    // What a text with one value a line holds (JSON Schema 2020-12, section 8).
    const { contentSchema: schema = documented } = documented ?? {};
    const ajv = addFormats.default(new Ajv2020({ strict: false }));
    const validate = ajv.compile({ ...schema, components: document.components });
    expect(validate(answer.body ?? answer.text), `${what} ${ajv.errorsText(validate.errors)}`).toBe(true);
  }
  for (const [name, header] of Object.entries(headers)) {
    const { required } = header.$ref
      ? (document.components.headers[header.$ref.split('/').at(-1) ?? ''] ?? {})
      : header;
    if (required === true) expect(answer.headers.has(name), `${what} ${name}`).toBe(true);
  }
}

import { readFileSync } from 'node:fs';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect, test } from 'vitest';
import { type Document, operationsOf, parseDocument } from '../contract/document.js';
import { ENVIRONMENT, exchangeAll, UNTRIED } from '../contract/exchanges.js';
import { OPERATIONS, PUBLIC_OPERATIONS } from '../contract/operations.js';
import { type Service, startService } from '../support/service.js';
import { OTHER_FIELDS } from '../support/plants.js';

async function servedDocument(service: Service): Promise<Document> {
  return parseDocument((await service.request('/openapi.json')).text);
}

/** The names of required fields have no order, descriptions other words, and the Error of a response some values. */
function comparable(name: string, value: unknown): unknown {
  if (name === 'schema' && value instanceof Object && 'allOf' in value) return (value.allOf as unknown[])[0];
  if (name === 'description') return undefined;
  return name === 'required' && Array.isArray(value) ? new Set(value) : value;
}

describe('the served contract', () => {
  test('names the address of the service', async () => {
    const byDefault = await startService();
    const configured = await startService({ BASE_URL: 'https://plants.example.org/store/' });

    expect((await servedDocument(byDefault)).servers).toEqual([{ url: byDefault.url }]);
    expect((await servedDocument(configured)).servers).toEqual([{ url: 'https://plants.example.org/store' }]);
  });

  test('contains the contract that was agreed', async () => {
    const agreed = readFileSync(new URL('../contract/openapi.json', import.meta.url), 'utf8');

    const { text } = await (await startService()).request('/openapi.json');

    // 90 KB for the operations of this service.
    expect(text.length).toBeLessThan(3_200 * [...text.matchAll(/"operationId":/g)].length);
    // Some generators write a pattern between slashes, and others into a text, where an escaped slash is wrong.
    expect(text).not.toContain(String.raw`\\/`);
    expect(parseDocument(text, comparable)).toMatchObject(JSON.parse(agreed, comparable) as object);
  });

  test('says of every operation which scopes it requires, and an effect besides', async () => {
    const document = await servedDocument(await startService());

    for (const [name, alternatives] of Object.entries(OPERATIONS)) {
      const [method = '', path = ''] = name.split(' ');
      const { description = '', security } = document.paths[path]?.[method.toLowerCase()] ?? {};
      const names = alternatives
        .map((scopes) => scopes.map((scope) => `\`${scope}\``).join(' and '))
        .join(', or ');
      const isPublic = PUBLIC_OPERATIONS.includes(name);
      const required = names === '' ? 'an access token, with any scopes' : names;
      const access = isPublic ? 'Needs no access token.' : `Requires ${required}.`;
      const bearer = alternatives.length === 0 ? [[]] : alternatives;
      expect(security, name).toEqual(isPublic ? [] : bearer.map((scopes) => ({ bearer: scopes })));
      expect(description, name).toMatch(/^[A-Z].+\.\n\n/);
      expect(description.endsWith(`\n\n${access}`), `${name}: ${description}`).toBe(true);
    }
    expect(operationsOf(document).open).toEqual(PUBLIC_OPERATIONS);
  });

  test('has examples of parameters with which a request succeeds', async () => {
    const service = await startService();
    const { paths } = await servedDocument(service);
    await service.create({ id: 1, name: 'Monstera deliciosa', tag: 'houseplant' });
    const { parameters = [] } = paths['/plants']?.['get'] ?? {};
    const names = ['after', 'ids', 'limit', 'name', 'search', 'sort', 'tag', 'total'];

    for (const { name, schema, in: place } of parameters.filter((parameter) => parameter.in === 'query')) {
      const query = new URLSearchParams({ [name]: String(schema?.example) });
      // It comes from a page in the same order.
      if (name === 'after') query.set('sort', 'name');
      const answer = await service.send('GET', `/plants?${query.toString()}`);
      expect.soft(answer.status, `${place} ${name}`).toBe(200);
      if (names.includes(name)) expect.soft(answer.body, name).toMatchObject([{ id: 1 }]);
    }
    expect(parameters.map(({ name }) => name)).toEqual(expect.arrayContaining(names));
  });

  test('has a pattern for conditions that the service keeps to', async () => {
    const service = await startService();
    const { paths } = await servedDocument(service);
    const { parameters = [] } = paths['/plants/{id}']?.['delete'] ?? {};
    const pattern = new RegExp(
      parameters.find(({ name }) => name === 'If-Match')?.schema?.pattern ?? '',
      'u',
    );
    const valid = ['*', '"a"', '""', 'W/"a"', '"a", W/"b"', ',"a",,"\u00fc",', '"a,b"'];
    const wrong = ['a', '"a', '"a""b"', '*, "a"', '"a b"', 'w/"a"'];

    for (const condition of [...valid, ...wrong]) {
      const { status } = await service.send('DELETE', '/plants/1', { headers: { 'If-Match': condition } });

      // There is no plant, so that it does not matter whether a valid one is met.
      expect(status, condition).toBe(valid.includes(condition) ? 404 : 400);
      expect(pattern.test(condition), condition).toBe(valid.includes(condition));
    }
  });

  test('has a pattern for cursors that pages keep to', async () => {
    const service = await startService();
    const { paths } = await servedDocument(service);
    const { parameters = [] } = paths['/plants']?.['get'] ?? {};
    const pattern = new RegExp(parameters.find(({ name }) => name === 'after')?.schema?.pattern ?? '', 'u');
    await service.create('{"id":-9223372036854775808,"name":",%\\n🌱 草","tag":"a"}');
    await service.create({ id: 1, name: '\u{10FFFF}', tag: 'a' });

    for (const filter of ['', '&name=', '&tag=a']) {
      const { headers } = await service.send('GET', `/plants?limit=1${filter}`);
      const [, next] = /^<\?(.+)>; rel="next"$/.exec(headers.get('link') ?? '') ?? [];
      expect(new URLSearchParams(next).get('after'), filter).toMatch(pattern);
    }
  });

  test('documents what any operation returns, and its errors with examples', async () => {
    const { paths } = await servedDocument(await startService());
    const operations = Object.values(paths).flatMap((path) => Object.values(path));

    for (const { responses, security } of operations) {
      expect(Object.keys(responses)).toEqual(expect.arrayContaining(['405', '408', '431', '503']));
      expect(Object.hasOwn(responses, '429')).toBe(security?.length !== 0);
    }
    expect(paths['/plants/{id}']?.['get']?.responses[404]?.content?.['application/json']?.examples).toEqual({
      40401: { value: { error: 40401, message: 'There is no plant with the id 1.' } },
    });
  });

  test.for([{}, { OIDC_ISSUER: 'http://127.0.0.1:9', OIDC_AUDIENCE: 'plants' }])(
    'has no errors and no warnings for an OpenAPI linter, with %o',
    async (environment) => {
      const { text } = await (await startService(environment)).request('/openapi.json');

      const config = await createConfig({ extends: ['recommended-strict'] });
      const problems = await lintFromString({ source: text, config });

      expect(problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([]);
    },
  );

  test('shows no number that a viewer would round', async () => {
    const { text } = await (await startService()).request('/openapi.json');

    const texts = /"(?:[^"\\]|\\.)*"/g;
    expect(text.replaceAll(texts, '""')).not.toMatch(/\d{16}/);
  });

  test('has no default of a field in a body, which some generators take for a required one', async () => {
    const { paths, components } = await servedDocument(await startService());
    const seen = new Set<string>();
    const look = (part: object) => {
      for (const [, name = ''] of JSON.stringify(part).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
        if (seen.has(name)) continue;
        seen.add(name);
        look(components.schemas[name] ?? {});
      }
    };
    for (const [method = '', path = ''] of Object.keys(OPERATIONS).map((name) => name.split(' ')))
      look(paths[path]?.[method.toLowerCase()]?.requestBody ?? {});

    const fields = [...seen].flatMap((name) =>
      Object.entries(components.schemas[name]?.properties ?? {})
        .filter(([field]) => !OTHER_FIELDS.has(field))
        .map(([field, schema]) => ({
          field: `${name}.${field}`,
          hasDefault: Object.hasOwn(schema, 'default'),
        })),
    );

    expect(fields.map(({ field }) => field)).toContain('NewWebhook.kinds');
    expect(fields.filter(({ hasDefault }) => hasDefault)).toEqual([]);
  });

  test('has the array of a query as most generated clients send it', async () => {
    const { paths } = await servedDocument(await startService());

    const parameters = Object.values(paths)
      .flatMap((path) => Object.values(path))
      .flatMap((operation) => operation.parameters ?? []);

    const arrays = parameters.filter(({ schema }) => schema?.type === 'array');
    expect(arrays.map(({ name }) => name)).toContain('ids');
    expect(arrays.filter((parameter) => 'style' in parameter || 'explode' in parameter)).toEqual([]);
  });

  test('describes the real response to every operation', async () => {
    const service = await startService(ENVIRONMENT);
    const { paths, components } = await servedDocument(service);

    const exchanges = await exchangeAll(service);

    const ajv = addFormats.default(new Ajv2020({ strict: false })).addSchema({ $id: 'contract', components });
    const tried = new Set<object>();
    for (const [{ method, path }, { status, headers, text, body }] of exchanges) {
      const what = `${method} ${path} ${status} ${text}`;
      const methods = paths[path] ?? paths[path.replace(/(?<=.\/)[^/]+/, '{id}')] ?? {};
      // 405 is documented with the methods that the path has.
      const operation = methods[method.toLowerCase()] ?? Object.values(methods)[0];
      const response = operation?.responses[status];
      if (response === undefined) expect.fail(what);
      tried.add(response);
      const { content, headers: named = {} } = response;
      const mediaType = headers.get('content-type')?.replace(/; (charset|version)=.*/, '') ?? '';
      if (content === undefined) expect(text, what).toBe('');
      else {
        expect(content, what).toHaveProperty([mediaType]);
        const schema = content[mediaType]?.schema;
        const validate = ajv.compile(
          JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"contract#/')) as object,
        );
        // The schema of NDJSON is the one of each line.
        for (const value of mediaType.startsWith('application/x-ndjson')
          ? (body as unknown[])
          : [body ?? text])
          expect(validate(value), `${what} ${ajv.errorsText(validate.errors)}`).toBe(true);
      }
      for (const [name, { $ref = '', required }] of Object.entries(named)) {
        const isRequired = required ?? components.headers[$ref.split('/').at(-1) ?? '']?.required;
        if (isRequired === true) expect(headers.has(name), `${what} ${name}`).toBe(true);
      }
    }
    const untried = Object.keys(OPERATIONS).flatMap((name) => {
      const [method = '', path = ''] = name.split(' ');
      return Object.entries(paths[path]?.[method.toLowerCase()]?.responses ?? {})
        .filter(([, response]) => !tried.has(response))
        .map(([status]) => `${name} -> ${status}`);
    });
    expect(untried.filter((name) => !UNTRIED.some((end) => name.endsWith(String(end))))).toEqual([]);
  });
});

import { describe, expect, test, vi } from 'vitest';
import { type Answer, type Service, startService } from './support/service.js';

const LEAST = '-9223372036854775808';
const ODD = '9007199254740995';
const JSON_TEXTS = 'application/json;IEEE754Compatible=true';
const NDJSON_TEXTS = 'application/x-ndjson;IEEE754Compatible=true';
const EVENT_TEXTS = 'text/event-stream;IEEE754Compatible=true';

const SENT = { 'Content-Type': JSON_TEXTS };
const ASKED = { Accept: JSON_TEXTS };

/** Starts a service with two plants that were sent with their ids as strings. */
async function startWithPlants(environment: Record<string, string> = {}): Promise<Service> {
  const service = await startService(environment);
  await service.create({ id: ODD, name: '"id":7', tag: '{"cursor":7' }, SENT);
  await service.create({ id: LEAST, name: 'Aloe' }, SENT);
  return service;
}

const ODD_PLANT = String.raw`{"id":"${ODD}","name":"\"id\":7","tag":"{\"cursor\":7"}`;
const LEAST_PLANT = `{"id":"${LEAST}","name":"Aloe"}`;

function mediaType({ headers }: Answer): string | null {
  return headers.get('content-type');
}

describe('int64s as strings', () => {
  test('are taken where the Content-Type says so, beside numbers, and nowhere else', async () => {
    const service = await startWithPlants();
    const refused = 'id must be an integer from -9223372036854775808 to 9223372036854775807.';

    const answers = [
      await service.create('{"id":9007199254740997,"name":"number"}', SENT),
      await service.create(
        { id: '1', name: 'any case' },
        { 'Content-Type': 'Application/JSON ; ieee754compatible="TRUE" ; charset=utf-8' },
      ),
      await service.create({ id: '2', name: 'x' }),
      await service.create({ id: '2', name: 'x' }, ASKED),
      await service.create(
        { id: '2', name: 'x' },
        { 'Content-Type': 'application/json;IEEE754Compatible=false' },
      ),
      ...(await Promise.all(
        ['', ' 2', '+2', '02', '2.0', '2e0', '9223372036854775808', 'x'].map((id) =>
          service.create({ id, name: 'x' }, SENT),
        ),
      )),
      await service.create({ id: 3, name: 4 }, SENT),
    ];

    expect(answers.slice(0, 2).map(({ status }) => status)).toEqual([200, 200]);
    for (const { status, body } of answers.slice(2, -1)) {
      expect(status).toBe(400);
      expect(body).toEqual({ error: 40001, message: refused });
    }
    expect(answers.at(-1)).toMatchObject({ status: 400, body: { error: 40001 } });
    const ids = (await service.plants()).map(({ id }) => id);
    expect(ids).toEqual([BigInt(LEAST), 1n, BigInt(ODD), 9007199254740997n]);
  });

  test('are in the responses that have the parameter, and in no other', async () => {
    const service = await startWithPlants({ SEARCH: 'on' });
    await vi.waitFor(async () => {
      expect(await service.send('GET', '/plants?search=Aloe')).toMatchObject({ status: 200 });
    });
    const cases: [method: string, path: string, body: object | undefined, text: string][] = [
      ['GET', '/plants', undefined, `[${LEAST_PLANT},\n${ODD_PLANT}]`],
      ['GET', '/plants?name=A', undefined, `[${LEAST_PLANT}]`],
      ['GET', '/plants?search=Aloe', undefined, `[${LEAST_PLANT}]`],
      ['GET', `/plants?ids=${ODD}`, undefined, `[${ODD_PLANT}]`],
      ['GET', `/plants/${ODD}`, undefined, ODD_PLANT],
      ['PUT', `/plants/${LEAST}`, { name: 'Aloe' }, LEAST_PLANT],
      ['PATCH', `/plants/${LEAST}`, { tag: null }, LEAST_PLANT],
      ['GET', '/plants/count', undefined, '{"count":2}'],
      ['GET', '/plants/404', undefined, '{"error":40401,"message":"There is no plant with the id 404."}'],
    ];

    for (const [method, path, body, text] of cases) {
      for (const accept of [JSON_TEXTS, 'text/html, application/json;q=0.9;IEEE754COMPATIBLE = "True"']) {
        const answer = await service.send(method, path, { body, headers: { Accept: accept } });
        expect(answer.text).toBe(text);
        expect(mediaType(answer)).toBe(JSON_TEXTS);
      }
      const usual = await service.send(method, path, { body });
      expect(usual.text).toBe(text.replaceAll(/"(-?\d{16,})"/g, '$1'));
      expect(mediaType(usual)).toBe('application/json');
    }
  });

  test('lead from page to page', async () => {
    const service = await startWithPlants();

    const first = await service.send('GET', '/plants?limit=1&total=true', { headers: ASKED });
    const [, next] = /<(.*)>/.exec(first.headers.get('link') ?? '') ?? [];
    const second = await service.send('GET', `/plants${next}`, { headers: ASKED });

    expect([first.text, second.text]).toEqual([`[${LEAST_PLANT}]`, `[${ODD_PLANT}]`]);
    expect(first.headers.get('x-total-count')).toBe('2');
  });

  test('have another entity tag, and either is a condition', async () => {
    const service = await startWithPlants();
    const path = `/plants/${ODD}`;
    const tag = async (headers: Record<string, string>) =>
      (await service.send('GET', path, { headers })).headers.get('etag') ?? '';
    const [numbers, texts] = [await tag({}), await tag(ASKED)];
    const read = async (headers: Record<string, string>) => {
      const { status, headers: answered } = await service.send('GET', path, { headers });
      return [status, answered.get('etag'), answered.get('vary')];
    };

    expect(texts).not.toBe(numbers);
    expect(await read({ 'If-None-Match': numbers })).toEqual([304, numbers, 'Accept']);
    expect(await read({ 'If-None-Match': texts, ...ASKED })).toEqual([304, texts, 'Accept']);
    expect(await read({ 'If-None-Match': texts })).toEqual([200, numbers, 'Accept']);
    expect(await read({ 'If-None-Match': numbers, ...ASKED })).toEqual([200, texts, 'Accept']);
    for (const [ifMatch, form] of [
      [numbers, ASKED],
      [texts, {}],
    ] as const) {
      const headers = { 'If-Match': ifMatch, ...form };
      expect((await read(headers))[0]).toBe(200);
      expect(await service.send('PATCH', path, { headers, body: {} })).toMatchObject({ status: 200 });
      const batch = { operations: [{ kind: 'patch', id: ODD, ifMatch, body: {} }] };
      const answer = await service.send('POST', '/plants/batch', {
        headers: { ...SENT, ...form },
        body: batch,
      });
      const etag = form === ASKED ? texts : numbers;
      expect(answer).toMatchObject({ status: 200, body: { results: [{ etag }] } });
    }
    expect(await service.send('DELETE', path, { headers: { 'If-Match': '"0-ieee754"' } })).toMatchObject({
      status: 412,
    });
  });

  test('are in the operations of a batch, whose PUT ignores an equal id', async () => {
    const service = await startService();
    const operations = [
      { kind: 'create', body: { id: ODD, name: 'a' } },
      { kind: 'put', id: LEAST, body: { name: 'b' } },
      { kind: 'patch', id: ODD, body: { tag: 't' } },
      { kind: 'delete', id: LEAST },
    ];

    const batch = await service.send('POST', '/plants/batch', {
      headers: { ...SENT, ...ASKED },
      body: { operations },
    });
    const refused = await service.send('POST', '/plants/batch', { body: { operations } });
    const headers = { ...SENT, ...ASKED };
    const put = await service.send('PUT', `/plants/${ODD}`, { headers, body: { id: ODD, name: 'a' } });
    const other = await service.send('PUT', `/plants/${ODD}`, { headers, body: { id: '1', name: 'a' } });

    const ids = (batch.body as { results: { body?: object }[] }).results.map(({ body }) => body);
    expect(ids).toEqual([
      { id: ODD, name: 'a' },
      { id: LEAST, name: 'b' },
      { id: ODD, name: 'a', tag: 't' },
      undefined,
    ]);
    expect(refused).toMatchObject({ status: 400, body: { error: 40001 } });
    expect(put.headers.get('etag')).toMatch(/^"[0-9a-f]{32}-ieee754"$/);
    expect(other.headers.get('etag')).toBeNull();
  });

  test('are in imports and exports', async () => {
    const service = await startService();
    const lines = `{"id":"${ODD}","name":"a"}\n{"id":${LEAST},"name":"b"}\n{"id":"x","name":"c"}\n`;

    const imported = await service.send('POST', '/plants/import', {
      headers: { 'Content-Type': NDJSON_TEXTS, Accept: NDJSON_TEXTS },
      body: lines,
    });
    const refused = await service.send('POST', '/plants/import', {
      headers: { 'Content-Type': 'application/x-ndjson' },
      body: lines,
    });
    const exported = await service.send('GET', '/plants/export', { headers: { Accept: NDJSON_TEXTS } });

    expect(imported.body).toMatchObject([
      { line: '1', status: 200 },
      { line: '2', status: 200 },
      { line: '3', error: 40001 },
    ]);
    expect(refused.body).toMatchObject([
      { line: 1, error: 40001 },
      { line: 2, status: 200 },
      { line: 3, error: 40001 },
    ]);
    expect(exported.text).toBe(`{"id":"${LEAST}","name":"b"}\n{"id":"${ODD}","name":"a"}\n`);
    expect([mediaType(imported), mediaType(exported)]).toEqual([NDJSON_TEXTS, NDJSON_TEXTS]);
  });

  test('are in changes, as a page, as lines and as events', async () => {
    const service = await startWithPlants();
    const read = (accept: string) =>
      service.send('GET', '/plants/changes?after=0', { headers: { Accept: accept } });
    const follow = new AbortController();
    const stream = await fetch(`${service.url}/ieee754/plants/changes?after=0`, {
      headers: { Authorization: 'Bearer a-token-for-the-tests', Accept: 'text/event-stream' },
      signal: follow.signal,
    });
    let events = '';
    for await (const part of stream.body ?? []) {
      events += new TextDecoder().decode(part as Uint8Array);
      if (events.includes('Aloe')) break;
    }
    follow.abort();

    const [page, lines, usual] = [
      await read(JSON_TEXTS),
      await read(NDJSON_TEXTS),
      await read('application/x-ndjson'),
    ];

    const [first = '', second = ''] = lines.text.split('\n');
    expect(first).toMatch(/^\{"cursor":"\d+","at":/);
    expect(first).toContain(`"plant":${ODD_PLANT}}`);
    expect(second).toContain(`"plant":${LEAST_PLANT}}`);
    expect(page.text).toBe(`[${first},\n${second}]`);
    expect(events).toContain(`id: ${/\d+/.exec(first)?.[0]}\nevent: change\ndata: ${first}\n\n`);
    expect(usual.text).toContain(`"plant":${ODD_PLANT.replace(`"${ODD}"`, ODD)}}`);
    expect([mediaType(page), mediaType(lines), stream.headers.get('content-type')]).toEqual([
      JSON_TEXTS,
      NDJSON_TEXTS,
      EVENT_TEXTS,
    ]);
  });

  test('are in every request and response at a path that begins with /ieee754', async () => {
    const service = await startService();

    const created = await service.request('/ieee754/plants', {
      method: 'POST',
      headers: { Authorization: 'Bearer a-token-for-the-tests', 'Content-Type': 'application/json' },
      body: JSON.stringify({ id: ODD, name: 'a' }),
    });
    const list = await service.send('GET', '/ieee754/plants');

    expect(created).toMatchObject({ status: 200, body: { name: 'a' } });
    expect(list.text).toBe(`[{"id":"${ODD}","name":"a"}]`);
    expect(mediaType(list)).toBe(JSON_TEXTS);
    expect(await service.send('GET', '/ieee754x/plants')).toMatchObject({ status: 404 });
  });
});

describe('the contract of int64s as strings', () => {
  test('is at an address of its own, to which the other one links', async () => {
    const service = await startService();

    const usual = await service.request('/openapi.json');
    const [, link = ''] =
      /^<(.*)>; rel="alternate"; type="application\/json;IEEE754Compatible=true"$/.exec(
        usual.headers.get('link') ?? '',
      ) ?? [];
    const linked = await service.request(new URL(link, 'http://x/openapi.json').pathname);
    const asked = await service.request('/openapi.json', { headers: ASKED });

    expect(linked.text).toBe(asked.text);
    expect(linked.body).toMatchObject({ servers: [{ url: `${service.url}/ieee754` }] });
    for (const { headers } of [usual, linked, asked]) expect(headers.get('vary')).toMatch(/\bAccept\b(?!-)/);
  });

  test('has no integer of 64 bits, and no media type without the parameter', async () => {
    const service = await startService();

    const { text } = await service.request('/ieee754/openapi.json');

    const schemas: Record<string, unknown>[] = [];
    JSON.parse(text, (_name, value: unknown) => {
      if (Object(value).format === 'int64') schemas.push(value as Record<string, unknown>);
      return value;
    });
    expect(schemas.length).toBeGreaterThan(10);
    for (const schema of schemas) {
      expect(schema).toMatchObject({ type: 'string', pattern: String.raw`^(0|-?[1-9]\d{0,18})$` });
      expect(schema['example'] ?? '1').toMatch(new RegExp(String(schema['pattern'])));
    }
    expect(text).not.toMatch(/"(application\/(json|x-ndjson|merge-patch\+json)|text\/event-stream)":/);
    expect(text).toContain('"example":["3","1","2"]');
  });
});

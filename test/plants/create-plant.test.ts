import { describe, expect, test } from 'vitest';
import { withoutOtherFields } from '../support/plants.js';
import { startService, TOKEN } from '../support/service.js';

/** A plant whose name has these bytes. */
function named(...bytes: number[]): Buffer {
  return Buffer.concat([Buffer.from('{"id":1,"name":"'), Buffer.from(bytes), Buffer.from('"}')]);
}

const PLANT = { id: 1, name: 'first', tag: 'kept' };

describe('creating a plant', () => {
  test('answers 200 with the plant without its id, and stores it', async () => {
    const service = await startService();

    const answer = await service.create({ id: 7, name: 'Monstera deliciosa', tag: 'houseplant' });

    expect(answer.status).toBe(200);
    expect(withoutOtherFields(answer.text)).toBe('{"name":"Monstera deliciosa","tag":"houseplant"}');
    expect(answer.headers.get('content-type')).toBe('application/json');
    expect(await service.plants()).toEqual([{ id: 7n, name: 'Monstera deliciosa', tag: 'houseplant' }]);
  });

  test.for([
    ['another plant', { id: 1, name: 'second' }, 'id 1 belongs to another plant.'],
    ['exactly this plant', PLANT, 'id 1 belongs to a plant exactly like this.'],
  ] as const)('refuses an id that belongs to %s, and leaves that as it is', async ([, plant, message]) => {
    const service = await startService();
    await service.create(PLANT);

    const answer = await service.create(plant);

    expect(answer).toMatchObject({ status: 400, body: { error: 40900, message } });
    expect(await service.plants()).toEqual([{ id: 1n, name: 'first', tag: 'kept' }]);
  });

  test('has one winner among 200 concurrent creates of one id', async () => {
    const service = await startService();

    const answers = await Promise.all(
      Array.from({ length: 200 }, async (_, index) => service.create({ id: 5, name: `contender ${index}` })),
    );

    const stored = await service.plants();
    expect(stored).toMatchObject([{ id: 5n }]);
    expect(answers.filter(({ status }) => status === 200)).toMatchObject([
      { body: { name: stored[0]?.name } },
    ]);
    expect(answers.filter(({ body }) => (body as { error?: number }).error === 40900)).toHaveLength(199);
  });

  test('stores every int64 exactly, however the integer is written', async () => {
    const service = await startService();
    const ids: [written: string, stored: bigint][] = [
      ['-9223372036854775808', -(2n ** 63n)],
      ['-9223372036854775807', -(2n ** 63n) + 1n],
      ['-9007199254740993', -(2n ** 53n) - 1n],
      ['-9007199254740992', -(2n ** 53n)],
      ['-1', -1n],
      ['-0', 0n],
      ['0.5e1', 5n],
      ['7.0', 7n],
      ['1200E-2', 12n],
      ['1e3', 1000n],
      ['999999999999999', 999_999_999_999_999n],
      ['9007199254740991', 2n ** 53n - 1n],
      ['9007199254740992', 2n ** 53n],
      ['9007199254740993', 2n ** 53n + 1n],
      ['9007199254740994.000', 2n ** 53n + 2n],
      ['9.007199254740995e15', 2n ** 53n + 3n],
      ['9223372036854775805.0e0', 2n ** 63n - 3n],
      ['9223372036854775806', 2n ** 63n - 2n],
      ['9223372036854775807', 2n ** 63n - 1n],
    ];

    for (const [written] of ids) {
      const answer = await service.create(`{"id":${written},"name":"${written}"}`);
      expect(answer, written).toMatchObject({ status: 200, body: { name: written } });
    }

    expect((await service.plants()).map(({ id, name }) => [name, id])).toEqual(ids);
  });

  test('keeps names and tags of any text', async () => {
    const service = await startService();
    const texts = [
      '',
      '  Aloe \t\n ',
      'Ä 草 \u{1F33F} \u{10FFFF} \uFEFF \uFFFD',
      // Decomposed, and not normalised.
      'e\u0301',
      '\u0001\u001F\u007F\u0085',
      `'; DROP TABLE plants; --`,
      '🌱'.repeat(8_000) + '草'.repeat(8_384),
    ];

    for (const [id, text] of texts.entries())
      expect(await service.create({ id, name: text, tag: text })).toMatchObject({
        status: 200,
        body: { name: text, tag: text },
      });
    expect(await service.plants()).toEqual(
      texts.map((text, id) => ({ id: BigInt(id), name: text, tag: text })),
    );
  });

  test('refuses a body that is no plant, with a message that begins with the field', async () => {
    const service = await startService();
    const ids = [
      // One more than the greatest int64, and one less than the least.
      '9223372036854775808',
      '-9223372036854775809',
      '9'.repeat(1000),
      '1e400',
      '1e19',
      '1.5',
      // A double would round these to integers.
      '4503599627370497.5',
      '1.00000000000000000001',
      '1e-400',
      '"1"',
      'null',
      'true',
      '[1]',
      '{}',
    ].map((id): [string, string] => [`{"id":${id},"name":"Aloe"}`, 'id']);

    for (const [body, words] of [
      ...ids,
      ['{"name":"Aloe"}', 'id is missing.'],
      ['{"id":1}', 'name is missing.'],
      ['{}', 'id is missing; name is missing.'],
      ['{"id":1,"name":null}', 'name'],
      [JSON.stringify({ id: 1, name: 'x'.repeat(16_385) }), 'name must be shorter'],
      ['{"id":1,"name":1}', 'name'],
      ['{"id":1,"name":["Aloe"]}', 'name'],
      ['{"id":1,"name":{"length":1}}', 'name'],
      [String.raw`{"id":1,"name":"a\u0000b"}`, 'name'],
      [String.raw`{"id":1,"name":"\ud800"}`, 'name'],
      ['{"id":1,"name":"Aloe","tag":null}', 'tag'],
      ['{"id":1,"name":"Aloe","tag":1}', 'tag'],
      ['{"id":1,"name":"Aloe","tag":{}}', 'tag'],
      [String.raw`{"id":1,"name":"Aloe","tag":"\udfff!"}`, 'tag'],
      ['{"__proto__":{"id":1,"name":"Aloe"}}', 'id'],
      ['{"id":1,"__proto__":{"name":"Aloe"}}', 'name'],
    ] as const) {
      const answer = await service.create(body);

      expect(answer.status, body).toBe(400);
      expect(answer.body).toEqual({ error: 40001, message: expect.stringMatching(`^${words}`) });
    }
    expect(await service.plants()).toEqual([]);
  });

  test('ignores what the contract does not name', async () => {
    const service = await startService();
    const members = [
      '"a":1.5,"b":null,"c":[{"d":[]}],"e":{"f":"g"},"h":true,"i":"j","":1',
      '"access_token":"nobody"',
      '"tags":["succulent"]',
      '"__proto__":{"tag":"x"},"constructor":{"name":"y"},"toString":1,"hasOwnProperty":2',
      '"constructor":null,"prototype":null',
      // Numbers that no double can hold.
      '"a":123456789012345678901234567890,"b":1e999,"c":1e-999',
      String.raw`"a":"\u0000\ud800"`,
      `"a":[0.5${',0'.repeat(9_000)}]`,
      // 64 levels.
      `"a":${'['.repeat(63)}${']'.repeat(63)}`,
    ];

    const ids = members.map((_, index) => 2n ** 53n + 1n + BigInt(index));

    for (const [index, others] of members.entries()) {
      const answer = await service.create(`{${others},"id":${ids[index]},"name":"Aloe"}`);

      expect(answer.status, others).toBe(200);
      expect(withoutOtherFields(answer.text)).toBe('{"name":"Aloe"}');
    }
    expect(await service.plants()).toEqual(ids.map((id) => ({ id, name: 'Aloe', tag: null })));
  });

  test('refuses a body that is no JSON object in UTF-8, or a deep or a large one', async () => {
    const service = await startService();

    for (const body of [
      '',
      '{"id":1,"name":"Aloe"',
      '{"id":1,"name":"Aloe"} {}',
      '\uFEFF{"id":1,"name":"Aloe"}',
      '[{"id":1,"name":"Aloe"}]',
      '"Aloe"',
      'null',
      '1',
      '9007199254740993',
      `{"id":1,"name":"Aloe","a":${'['.repeat(64)}${']'.repeat(64)}}`,
      `{"id":1,"name":"Aloe","a":${'['.repeat(60_000)}${']'.repeat(60_000)}}`,
      `{"a":${'{"a":'.repeat(9000)}1${'}'.repeat(9000)},"id":9007199254740993}`,
      `{"id":1,"name":"Aloe","a":[0${',0'.repeat(10_000)}]}`,
      // No UTF-8, an overlong encoding, and a surrogate.
      named(0xff),
      named(0xc0, 0x80),
      named(0xed, 0xa0, 0x80),
    ])
      expect(await service.create(body), body.slice(0, 100).toString()).toMatchObject({
        status: 400,
        body: { error: 40000, message: expect.any(String) },
      });
    expect(await service.plants()).toEqual([]);
  });

  test.for([
    ['in the body', (members: string) => `{"name":"Aloe",${members}}`],
    ['in a member', (members: string) => `{"id":1,"name":{${members}}}`],
  ] as const)('refuses 9,000 members %s without stopping for them', { timeout: 4_000 }, async ([, body]) => {
    const service = await startService();
    const members = Array.from({ length: 9_000 }, (_, index) => `"${index.toString(16)}":1`).join();

    const answer = await service.create(body(members));

    expect(answer).toMatchObject({ status: 400, body: { error: 40001 } });
  });

  test('takes JSON in UTF-8, and nothing compressed', async () => {
    const service = await startService();

    for (const [id, [type, status]] of (
      [
        ['application/json', 200],
        ['application/json; charset=utf-8', 200],
        ['Application/JSON;charset="UTF-8"', 200],
        ['application/json; charset=utf8', 200],
        ['application/json; charset=utf-16', 415],
        ['application/json; charset=iso-8859-1', 415],
        ['application/problem+json', 415],
        ['application/x-www-form-urlencoded', 415],
        ['text/plain', 415],
        ['nonsense', 415],
      ] as const
    ).entries())
      expect(await service.create({ id, name: 'Aloe' }, { 'Content-Type': type }), type).toMatchObject({
        status,
        ...(status === 415 && { body: { error: 41500 } }),
      });
    const compressed = await service.create({ id: 9, name: 'Aloe' }, { 'Content-Encoding': 'gzip' });
    expect(compressed).toMatchObject({ status: 415, body: { error: 41500 } });
    expect(compressed.headers.get('accept-encoding')).toBe('identity');
  });

  test.for([
    ['with its length announced', (body: string) => body],
    ['in chunks', (body: string) => new Blob([body]).stream()],
  ] as const)('accepts a body of the limit and refuses one byte more, %s', async ([, send]) => {
    const service = await startService();
    const body = '{"id":1,"name":"Aloe"}'.padEnd(131_072);
    const post = async (text: string) =>
      service.request('/plants', {
        method: 'POST',
        headers: { Authorization: `Bearer ${TOKEN}`, 'Content-Type': 'application/json' },
        body: send(text),
        duplex: 'half',
      });

    expect(await post(`${body} `)).toMatchObject({ status: 413, body: { error: 41300 } });
    expect(await service.plants()).toEqual([]);
    expect(await post(body)).toMatchObject({ status: 200 });
  });
});

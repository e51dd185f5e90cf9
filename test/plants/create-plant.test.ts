import { describe, expect, test } from 'vitest';
import { withoutOtherFields } from '../support/plants.js';
import { startService } from '../support/service.js';

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
    ['another plant', { id: 1, name: 'second' }, 'The id 1 belongs to another plant.'],
    ['exactly this plant', PLANT, 'The plant with the id 1 exists already, exactly like this.'],
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

  test.for([
    ['2^63, one more than the greatest int64', '9223372036854775808'],
    ['one less than the least int64', '-9223372036854775809'],
    ['an integer of a thousand digits', '9'.repeat(1000)],
    ['an integer that overflows a double', '1e400'],
    ['an integer just outside, written with an exponent', '1e19'],
    ['a fraction', '1.5'],
    ['a fraction that a double rounds to an integer', '4503599627370497.5'],
    ['a fraction so close to 1 that a double rounds it', '1.00000000000000000001'],
    ['a fraction that a double rounds to 0', '1e-400'],
    ['a text', '"1"'],
    ['null', 'null'],
    ['true', 'true'],
    ['an array', '[1]'],
    ['an object', '{}'],
  ])('refuses an id that is %s', async ([, id]) => {
    const service = await startService();

    const answer = await service.create(`{"id":${id},"name":"Aloe"}`);

    expect(answer).toMatchObject({
      status: 400,
      body: { error: 40001, message: expect.stringContaining('id') },
    });
    expect(await service.plants()).toEqual([]);
  });

  test.for([
    ['an empty text', ''],
    ['spaces, kept', '  Aloe \t\n '],
    ['every plane of Unicode', 'Ä 草 \u{1F33F} \u{10FFFF} \uFEFF \uFFFD'],
    ['decomposed characters, not normalised', 'e\u0301'],
    ['control characters', '\u0001\u001F\u007F\u0085'],
    ['SQL', `'; DROP TABLE plants; --`],
    ['16,384 characters', '🌱'.repeat(8_000) + '草'.repeat(8_384)],
  ])('keeps a name and a tag of %s', async ([, text]) => {
    const service = await startService();

    const answer = await service.create({ id: 1, name: text, tag: text });

    expect(answer).toMatchObject({ status: 200, body: { name: text, tag: text } });
    expect(await service.plants()).toEqual([{ id: 1n, name: text, tag: text }]);
  });

  test.for([
    ['without an id', '{"name":"Aloe"}', ': id is missing.'],
    ['without a name', '{"id":1}', ': name is missing.'],
    ['without anything, naming both', '{}', ': id is missing; name is missing.'],
    ['with a name that is null', '{"id":1,"name":null}', 'name'],
    [
      'with a name of 16,385 characters',
      JSON.stringify({ id: 1, name: 'x'.repeat(16_385) }),
      'name must be shorter',
    ],
    ['with a name that is a number', '{"id":1,"name":1}', 'name'],
    ['with a name that is an array of a text', '{"id":1,"name":["Aloe"]}', 'name'],
    ['with a name that is an object', '{"id":1,"name":{"length":1}}', 'name'],
    ['with a name that holds U+0000', String.raw`{"id":1,"name":"a\u0000b"}`, 'name'],
    ['with a name that holds a lone surrogate', String.raw`{"id":1,"name":"\ud800"}`, 'name'],
    ['with a tag that is null', '{"id":1,"name":"Aloe","tag":null}', 'tag'],
    ['with a tag that is a number', '{"id":1,"name":"Aloe","tag":1}', 'tag'],
    ['with a tag that is empty and nested', '{"id":1,"name":"Aloe","tag":{}}', 'tag'],
    ['with a tag that holds a lone surrogate', String.raw`{"id":1,"name":"Aloe","tag":"\udfff!"}`, 'tag'],
    ['with members only in __proto__', '{"__proto__":{"id":1,"name":"Aloe"}}', 'id'],
    ['with a name only in __proto__', '{"id":1,"__proto__":{"name":"Aloe"}}', 'name'],
  ] as const)('refuses a body %s, naming the member', async ([, body, member]) => {
    const service = await startService();

    const answer = await service.create(body);

    expect(answer).toMatchObject({
      status: 400,
      body: { error: 40001, message: expect.stringContaining(member) },
    });
    expect(await service.plants()).toEqual([]);
  });

  test.for([
    ['a member of every JSON type', '"a":1.5,"b":null,"c":[{"d":[]}],"e":{"f":"g"},"h":true,"i":"j"'],
    ['a member called access_token', '"access_token":"nobody"'],
    ['a misspelt member', '"tags":["succulent"]'],
    [
      'members named as parts of objects',
      '"__proto__":{"tag":"x"},"constructor":{"name":"y"},"toString":1,"hasOwnProperty":2',
    ],
    ['a constructor that is null', '"constructor":null,"prototype":null'],
    ['a number that no double can hold', '"a":123456789012345678901234567890,"b":1e999,"c":1e-999'],
    ['a text with U+0000 and lone surrogates', String.raw`"a":"\u0000\ud800"`],
    ['64 levels of nesting', `"a":${'['.repeat(63)}${']'.repeat(63)}`],
    ['an empty name', '"":1'],
  ])('ignores what the contract does not name: %s', async ([, members]) => {
    const service = await startService();

    const answer = await service.create(`{${members},"id":1,"name":"Aloe"}`);

    expect(answer.status).toBe(200);
    expect(withoutOtherFields(answer.text)).toBe('{"name":"Aloe"}');
    expect(await service.plants()).toEqual([{ id: 1n, name: 'Aloe', tag: null }]);
  });

  test.for([
    ['empty', ''],
    ['malformed', '{"id":1,"name":"Aloe"'],
    ['more than one value', '{"id":1,"name":"Aloe"} {}'],
    ['preceded by a byte order mark', '\uFEFF{"id":1,"name":"Aloe"}'],
    ['an array', '[{"id":1,"name":"Aloe"}]'],
    ['a text', '"Aloe"'],
    ['null', 'null'],
    ['a number', '1'],
    ['an integer beyond 2^53', '9007199254740993'],
    ['nested 65 levels deep', `{"id":1,"name":"Aloe","a":${'['.repeat(64)}${']'.repeat(64)}}`],
    ['nested 60,000 levels deep', `{"id":1,"name":"Aloe","a":${'['.repeat(60_000)}${']'.repeat(60_000)}}`],
    [
      'nested deep beside a large integer',
      `{"a":${'{"a":'.repeat(9000)}1${'}'.repeat(9000)},"id":9007199254740993}`,
    ],
    ['of more than 10,000 values', `{"id":1,"name":"Aloe","a":[0${',0'.repeat(10_000)}]}`],
    ['not UTF-8', new Uint8Array([...Buffer.from('{"id":1,"name":"'), 0xff, ...Buffer.from('"}')])],
    [
      'an overlong encoding',
      new Uint8Array([...Buffer.from('{"id":1,"name":"'), 0xc0, 0x80, ...Buffer.from('"}')]),
    ],
    [
      'a surrogate encoded in UTF-8',
      new Uint8Array([...Buffer.from('{"id":1,"name":"'), 0xed, 0xa0, 0x80, ...Buffer.from('"}')]),
    ],
  ] as const)('refuses a body that is %s', async ([, body]) => {
    const service = await startService();

    const answer = await service.create(body);

    expect(answer).toMatchObject({ status: 400, body: { error: 40000, message: expect.any(String) } });
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

  test.for([
    ['application/json', 200],
    ['application/json; charset=utf-8', 200],
    ['Application/JSON;charset="UTF-8"', 200],
    ['application/json; charset=utf-16', 415],
    ['application/json; charset=iso-8859-1', 415],
    ['application/problem+json', 415],
    ['application/x-www-form-urlencoded', 415],
    ['text/plain', 415],
    ['nonsense', 415],
  ] as const)('answers content type %s with %d', async ([contentType, status]) => {
    const service = await startService();

    const answer = await service.create({ id: 1, name: 'Aloe' }, { 'Content-Type': contentType });

    expect(answer.status).toBe(status);
    if (status === 415) expect(answer.body).toMatchObject({ error: 41500 });
  });

  test('refuses a compressed body', async () => {
    const service = await startService();

    const answer = await service.create({ id: 1, name: 'Aloe' }, { 'Content-Encoding': 'gzip' });

    expect(answer).toMatchObject({ status: 415, body: { error: 41500 } });
    expect(answer.headers.get('accept-encoding')).toBe('identity');
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
        headers: { Authorization: 'Bearer a-token-for-the-tests', 'Content-Type': 'application/json' },
        body: send(text),
        duplex: 'half',
      });

    expect(await post(`${body} `)).toMatchObject({ status: 413, body: { error: 41300 } });
    expect(await service.plants()).toEqual([]);
    expect(await post(body)).toMatchObject({ status: 200 });
  });
});

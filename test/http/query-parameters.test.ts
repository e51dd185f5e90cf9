import { describe, expect, test } from 'vitest';
import { type Answer, type Service, startService } from '../support/service.js';

const INT64_MIN = '-9223372036854775808';
const INT64_MAX = '9223372036854775807';
const INT64 = `an integer from ${INT64_MIN} to ${INT64_MAX}`;
const TEXT = 'a string of Unicode characters other than U+0000';

/** What is no integer as a parameter has it, percent-encoded where an address needs it. */
const NO_INTEGERS = [
  ...'%2B1 01 -01 00 -0 1.0 1e3 0x1 0b1 1n 1_000 1,000 %201 1%20 1%0A --1 - NaN Infinity null'.split(' '),
  ...'%D9%A3 %EF%BC%91 %00 %ff % 9223372036854775808 -9223372036854775809 18446744073709551616'.split(' '),
  '1'.repeat(400),
];

/** The ones among them of which no text can be made; they are refused with their path. */
const UNDECODABLE = new Set(['%ff', '%']);

/** What is no place in the order of names, which takes the beginning of a name and an id. */
const NO_PLACES = [
  ...'|1|Aloe|,|Aloe,|Aloe,x|Aloe,01|Aloe,1.0|Aloe,9223372036854775808|Aloe,1,|Aloe,1,2|a,Aloe,1'.split('|'),
  ...'Aloe%252C1 %25,1 %25ff,1 %25ED%25A0%2580,1 %2500,1'.split(' '),
];

async function list(service: Service, query: string): Promise<Answer> {
  return service.send('GET', `/plants?${query}`);
}

const NO_TEXTS = ['%ff', '%', '%e2%82', '%C0%80', '%ED%A0%80', 'a%ffb', '%u0041', '%00', 'a%00b'];

const LIMIT = 'limit must be an integer from 1 to 1000';
const AFTER = `after must be ${TEXT}`;
const PLACE = 'after must come from the Link of a page';
const TAG = `tag must be ${TEXT}`;
const NAME = `name must be ${TEXT}`;

/** What an answer says, and the queries to which it does. */
const WRONG: [string, string[]][] = [
  [
    LIMIT,
    [
      'limit',
      ...[...NO_INTEGERS, '', '+1', '1+', '0', '-1', '1001', INT64_MAX].map((value) => `limit=${value}`),
      'limit=1&limit=2',
      'limit=1&limit=1',
      `${'limit=1&'.repeat(1000)}limit=2`,
    ],
  ],
  [AFTER, [...NO_TEXTS.map((value) => `after=${value}`), 'after=1&after=1']],
  [
    PLACE,
    [
      'after',
      ...[...NO_INTEGERS, '', '+1', '1+', 'Aloe,1', '1,2', '1,', ',1']
        .filter((value) => !NO_TEXTS.includes(value))
        .map((value) => `after=${value}`),
      ...['name=A', 'tag=a', 'tag=a&name=A'].flatMap((filter) =>
        NO_PLACES.map((value) => `${filter}&after=${value}`),
      ),
      // Places of lists with another filter.
      'name=Al&after=Aa,0',
      'name=Al&after=Zamioculcas,0',
      'name=Aloe&tag=a&after=Alo,0',
    ],
  ],
  [
    `ids must be 1 to 100 integers from ${INT64_MIN} to ${INT64_MAX}, separated by commas`,
    ['', ',', '1,', ...NO_INTEGERS.filter((value) => value !== '1,000')].map((value) => `ids=${value}`),
  ],
  [
    'ids cannot be combined with other parameters',
    ['limit=1', 'after=1', 'tag=', 'name=', 'sort=id', 'total=false'].map((other) => `ids=1&${other}`),
  ],
  [
    'sort must be one of the following values: id, -id, name, -name',
    ['', '-', 'tag', 'ID', '+id', 'id,name'].map((value) => `sort=${value}`),
  ],
  [
    'sort must be name or -name with tag or name',
    ['tag=a&sort=id', 'name=&sort=-id', 'tag=a&name=b&sort=id'],
  ],
  ['total must be true or false', ['', '1', 'yes', 'TRUE'].map((value) => `total=${value}`)],
  [TAG, [...NO_TEXTS.map((value) => `tag=${value}`), 'tag=a&tag=a']],
  [NAME, [...NO_TEXTS.map((value) => `name=${value}`), 'name=a&%6eame=b']],
  [
    'tag must be shorter than or equal to 63 characters',
    ['x', '%F0%9F%8C%B5', '%EF%B8%8F'].map((character) => `tag=${character.repeat(64)}`),
  ],
  [
    'name must be shorter than or equal to 64 characters',
    ['x', '%F0%9F%8C%B5', '%EF%B8%8F'].map((character) => `name=${character.repeat(65)}`),
  ],
  [`${TAG}; ${NAME}; ${LIMIT}; ${AFTER}; other is unknown`, ['limit=0&after=%ff&tag=%ff&name=%00&other=%ff']],
];

/** Queries that no operation knows, and the names in them. */
const UNKNOWN: [string, string[]][] = [
  ['nmae=A', ['nmae']],
  ['=x&&', ['']],
  ['x=%ff&%ff=x&%ff', ['x', '\uD800']],
  ['x=%00&x=1&x=2', ['x']],
  ['__proto__=1&__proto__[limit]=0&constructor', ['__proto__', '__proto__[limit]', 'constructor']],
  ['toString=x&hasOwnProperty=x&then=x&length=0', ['toString', 'hasOwnProperty', 'then', 'length']],
  ['limit[]=0&Limit=0&limit%20=0&limit%00=0', ['limit[]', 'Limit', 'limit ', 'limit\0']],
  ['access_token=x&tags=x&id=5', ['access_token', 'tags', 'id']],
  [many(1500), many(1500).split('&')],
];

describe('GET /plants', () => {
  test('answers 400 to a wrong parameter and names every one', async () => {
    const service = await startService();

    for (const [problem, queries] of WRONG) {
      for (const query of queries) {
        const { status, body } = await list(service, query);

        expect(body, query).toEqual({ error: 40002, message: `A parameter is not valid: ${problem}.` });
        expect(status).toBe(400);
      }
    }
  });
});

test.for([
  ['GET', '/plants'],
  ['GET', '/plants/count'],
  ['GET', '/plants/export'],
  ['HEAD', '/plants/export'],
  ['GET', '/tokens'],
  ['DELETE', '/tokens/1'],
] as const)(
  '%s %s answers 400 to parameters that it does not know, and names them',
  async ([method, path]) => {
    const service = await startService();

    for (const [query, names] of UNKNOWN) {
      const { status, body } = await service.send(method, `${path}?${query}`);

      expect(status, query).toBe(400);
      const problems = names.map((name) => `${name} is unknown`).join('; ');
      if (method !== 'HEAD')
        expect(body, query).toEqual({ error: 40002, message: `A parameter is not valid: ${problems}.` });
    }
  },
);

test.for([
  ['GET', '/plants/1', undefined],
  ['PUT', '/plants/1', { name: 'Aloe' }],
  ['POST', '/plants', { id: 2, name: 'Aloe' }],
  ['POST', '/plants/import', ''],
  ['GET', '/tokens/current', undefined],
  ['GET', '/health/live', undefined],
] as const)('%s %s, which has no parameters, ignores all', async ([method, path, body]) => {
  const service = await startService();
  await service.create({ id: 1, name: 'Aloe' });
  const headers = path === '/plants/import' ? { 'Content-Type': 'application/x-ndjson' } : {};

  const answer = await service.send(method, `${path}?nmae=A&access_token=x`, { body, headers });

  expect(answer.status).toBe(200);
});

test('every method of /plants/{id} answers 400 to what is no id, and changes nothing', async () => {
  const service = await startService();
  await service.create({ id: 1, name: 'Aloe' });

  for (const method of ['GET', 'PUT', 'PATCH', 'DELETE'])
    for (const id of [...NO_INTEGERS, '+1', '1+']) {
      const body = method.startsWith('P') ? { name: 'new' } : undefined;
      const answer = await service.send(method, `/plants/${id}`, { body });

      expect(answer.body, id).toEqual({
        error: 40002,
        message: UNDECODABLE.has(id)
          ? 'The path or a parameter is not valid.'
          : `A parameter is not valid: id must be ${INT64}.`,
      });
      expect(answer.status).toBe(400);
    }
  expect(await service.plants()).toEqual([{ id: 1n, name: 'Aloe', tag: null }]);
});

/** As many different parameters that nobody knows. */
function many(count: number): string {
  return Array.from({ length: count }, (_, index) => `x${index}`).join('&');
}

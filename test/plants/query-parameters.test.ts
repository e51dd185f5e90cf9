import { describe, expect, test } from 'vitest';
import type { StoredPlant } from '../support/database.js';
import { type Answer, type Service, startService, TOKEN } from '../support/service.js';

const AUTHORIZATION = { Authorization: `Bearer ${TOKEN}` };
const INT64_MIN = '-9223372036854775808';
const INT64_MAX = '9223372036854775807';
const INT64 = `an integer from ${INT64_MIN} to ${INT64_MAX}`;
const TEXT = 'a string of Unicode characters other than U+0000';

/** What is no integer as a parameter has it, percent-encoded where an address needs it. */
const NO_INTEGERS = [
  '%2B1',
  '01',
  '-01',
  '00',
  '-0',
  '1.0',
  '1e3',
  '0x1',
  '0b1',
  '1n',
  '1_000',
  '1,000',
  '%201',
  '1%20',
  '1%0A',
  '--1',
  '-',
  'NaN',
  'Infinity',
  'null',
  '%D9%A3',
  '%EF%BC%91',
  '%00',
  '%ff',
  '%',
  '9223372036854775808',
  '-9223372036854775809',
  '18446744073709551616',
  '1'.repeat(400),
];

/** The ones among them of which no text can be made; they are refused with their path. */
const UNDECODABLE = new Set(['%ff', '%']);

/** What is no place in the order of names, which takes the beginning of a name and an id. */
const NO_PLACES = [
  '',
  '1',
  'Aloe',
  ',',
  'Aloe,',
  'Aloe,x',
  'Aloe,01',
  'Aloe,1.0',
  'Aloe,9223372036854775808',
  'Aloe,1,',
  'Aloe,1,2',
  'a,Aloe,1',
  'Aloe%252C1',
  '%25,1',
  '%25ff,1',
  '%25ED%25A0%2580,1',
  '%2500,1',
];

/** The ids of the plants that a test starts with. */
const IDS = [INT64_MIN, '-1', '0', '1', '9007199254740993', INT64_MAX];

async function list(service: Service, query: string): Promise<Answer> {
  return service.send('GET', `/plants?${query}`);
}

/** Starts a service with the plants at both ends of int64, around zero, and with every kind of text. */
async function startWithPlants(): Promise<Service> {
  const service = await startService();
  for (const plant of [
    `"id":${INT64_MIN},"name":"first","tag":"a b"`,
    '"id":-1,"name":"minus one","tag":"a+b"',
    '"id":0,"name":"zero","tag":"\uFFFD"',
    '"id":1,"name":"one","tag":""',
    '"id":9007199254740993,"name":"Ärger 🌵","tag":"🌵"',
    `"id":${INT64_MAX},"name":"last"`,
  ]) {
    expect((await service.create(`{${plant}}`)).status).toBe(200);
  }
  return service;
}

/** The ids of a list, as they are written in it. */
function ids({ text }: Answer): string[] {
  return [...text.matchAll(/"id":(-?\d+)/g)].map(([, id = '']) => id);
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
      `limit=1&${'x&'.repeat(2000)}limit=2`,
      `${many(1000)}&limit=0`,
    ],
  ],
  [AFTER, [...NO_TEXTS.map((value) => `after=${value}`), 'after=1&x=1&after=1']],
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
  [`${TAG}; ${NAME}; ${LIMIT}; ${AFTER}`, ['limit=0&after=%ff&tag=%ff&name=%00&other=%ff']],
];

const UNKNOWN = [
  '',
  '&&=&=x&',
  'x=%ff&%ff=x&%ff',
  'x=%00&x=1&x=2',
  '__proto__=1&__proto__[limit]=0&constructor=1&constructor[prototype][limit]=0',
  'toString=x&hasOwnProperty=x&then=x&length=0&valueOf',
  'limit[]=0&limit[x]=0&after.x=0&Limit=0&LIMIT=0&limit%20=0&%20limit=0&limit%00=0',
  'access_token=x&tags=x&id=5',
  many(1500),
];

/** Queries, with the ids of the plants that they mean. */
const RIGHT: [string, string[]][] = [
  [`after=${INT64_MIN}`, ['-1', '0', '1', '9007199254740993', INT64_MAX]],
  ['after=-9223372036854775807', ['-1', '0', '1', '9007199254740993', INT64_MAX]],
  ['after=-1', ['0', '1', '9007199254740993', INT64_MAX]],
  ['after=0', ['1', '9007199254740993', INT64_MAX]],
  ['after=9007199254740992', ['9007199254740993', INT64_MAX]],
  ['after=9007199254740993', [INT64_MAX]],
  ['after=9223372036854775806', [INT64_MAX]],
  [`after=${INT64_MAX}`, []],
  ['limit=1', [INT64_MIN]],
  ['limit=1&after=0', ['1']],
  ['%6c%69mit=%31', [INT64_MIN]],
  ['limit=1000', IDS],
  ['tag=a+b', [INT64_MIN]],
  ['tag=a%20b', [INT64_MIN]],
  ['tag=a%2Bb', ['-1']],
  ['tag=%EF%BF%BD', ['0']],
  ['tag=', ['1']],
  ['tag', ['1']],
  ['tag=%F0%9F%8C%B5', ['9007199254740993']],
  [`tag=${'x'.repeat(63)}`, []],
  [`name=${'%F0%9F%8C%B5'.repeat(64)}`, []],
  ['name=', [INT64_MIN, INT64_MAX, '-1', '1', '0', '9007199254740993']],
  ['name=o&after=o%2C0', ['1']],
  ['name=&after=minus+one,-2', ['-1', '1', '0', '9007199254740993']],
  ['name=&after=minus%2520one%2C-1', ['1', '0', '9007199254740993']],
  ['name=&after=zero,-1&limit=1', ['0']],
  ['name=&after=%25c3%2584,0', ['9007199254740993']],
  ['name=%C3%84rger+', ['9007199254740993']],
  [
    'name=%C3%84rger+%F0%9F%8C%B5&tag=%F0%9F%8C%B5&after=%25C3%2584rger%2520%25F0%259F%258C%25B5,1&limit=1',
    ['9007199254740993'],
  ],
  ['name=one&tag=a', []],
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

  test('ignores parameters that it does not know, whatever they hold', async () => {
    const service = await startWithPlants();

    for (const query of UNKNOWN) {
      const answer = await list(service, query);

      expect(answer.status, query).toBe(200);
      expect(ids(answer)).toHaveLength(6);
    }
  });

  test('answers with exactly the plants that a query means', async () => {
    const service = await startWithPlants();

    for (const [query, expected] of RIGHT) expect(ids(await list(service, query)), query).toEqual(expected);
  });
});

describe.for(['GET', 'PUT', 'PATCH', 'DELETE'])('%s /plants/{id}', (method) => {
  const request = async (service: Service, id: string) =>
    service.request(`/plants/${id}`, {
      method,
      headers: { ...AUTHORIZATION, 'Content-Type': 'application/json' },
      ...(method.startsWith('P') && { body: '{"name":"new"}' }),
    });

  test('answers 400 to what is no id, and changes nothing', async () => {
    const service = await startService();
    await service.create({ id: 1, name: 'Aloe' });

    for (const id of [...NO_INTEGERS, '+1', '1+']) {
      const answer = await request(service, id);

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

  test('means the plant of that very id', async () => {
    const service = await startWithPlants();

    for (const id of IDS) {
      const before = await service.plants();
      const named = (plant?: StoredPlant) => plant?.id === BigInt(id);

      const { status, text } = await request(service, id);

      const after = await service.plants();
      const name = method.startsWith('P') ? 'new' : before.find(named)?.name;
      expect(status, id).toBe(method === 'DELETE' ? 204 : 200);
      expect(text).toMatch(method === 'DELETE' ? /^$/ : `{"id":${id},"name":"${name}"`);
      expect(after.find(named)?.name).toBe(method === 'DELETE' ? undefined : name);
      expect(after.filter((plant) => !named(plant))).toEqual(before.filter((plant) => !named(plant)));
    }
  });
});

/** As many different parameters that nobody knows. */
function many(count: number): string {
  return Array.from({ length: count }, (_, index) => `x${index}`).join('&');
}

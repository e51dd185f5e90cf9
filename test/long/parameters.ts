import { randomUUID } from 'node:crypto';
import type { PlantContent } from '../support/plant-reference.js';
import { TOKEN } from '../support/service.js';
import { type Answer, errorOf, headerOf } from './answers.js';
import { items } from './items.js';
import { popularId } from './plant-texts.js';
import type { Random } from './random.js';
import { AUTHORIZATION, mismatch, type Run } from './run.js';
import { type Expected, refused } from './store-model.js';

/** Sends hostile paths, queries, conditions and headers. */
export async function sendParameters(run: Run, indices: readonly number[]): Promise<void> {
  const tags = await learnEntityTags(run);
  for (const index of indices) {
    const random = run.random(index);
    const kind = random.weighted([
      [30, 'path'],
      [35, 'list'],
      [20, 'condition'],
      [15, 'header'],
    ] as const);
    if (kind === 'path') await sendPath(run, index, random);
    else if (kind === 'list') await sendList(run, index, random);
    else if (kind === 'condition') await sendCondition(run, index, random, tags);
    else await sendHeader(run, index, random);
  }
  await run.settled();
}

const JSON_TYPE = 'Content-Type: application/json';

/** Ids of plants that conditional requests change; nothing else does. */
const FIRST_CONDITIONAL = 10n ** 15n;
const CONDITIONALS = 24;

const CONTENTS: readonly PlantContent[] = ['', 'a', 'Aloe', '草 🌿', '\\x41', "''\u0001"].flatMap((name) =>
  [null, '', 'a', '🌿'].map((tag) => ({ name, tag })),
);

async function learnEntityTags(run: Run): Promise<ReadonlyMap<string, string>> {
  const tags = new Map<string, string>();
  for (let id = FIRST_CONDITIONAL; id < FIRST_CONDITIONAL + BigInt(CONDITIONALS); id += 1n) {
    for (const content of CONTENTS) {
      const body = bodyOf(content);
      run.model.put(id, body);
      await run.send(
        { index: -1, method: 'PUT', path: `/plants/${id}`, headers: [JSON_TYPE], body },
        id,
        (answer) => {
          const [, tag] = /^"(.*)"$/.exec(headerOf(answer, 'ETag') ?? '') ?? [];
          if (tag !== undefined) tags.set(keyOf(id, content), tag);
          return tag === undefined ? 'an ETag is expected' : undefined;
        },
      );
    }
  }
  await run.settled();
  return tags;
}

/** What an entity tag stands for. */
function keyOf(id: bigint, { name, tag }: PlantContent): string {
  return JSON.stringify([String(id), name, tag]);
}

function bodyOf({ name, tag }: PlantContent): Buffer {
  return Buffer.from(JSON.stringify(tag === null ? { name } : { name, tag }));
}

async function sendPath(run: Run, index: number, random: Random): Promise<void> {
  const segment = random.weighted<() => string>([
    [4, () => String(popularId(random))],
    [2, () => String(random.bigint(random.pick([40, 64, 66])))],
    [
      2,
      () => String(popularId(random)).replaceAll(/\d/g, (digit) => (random.once(3) ? `%3${digit}` : digit)),
    ],
    [6, () => random.pick(SEGMENTS)],
    [2, () => Array.from({ length: random.below(5) }, () => random.pick(SEGMENTS)).join('')],
    [1, () => '9'.repeat(random.below(8_000))],
  ])();
  const method = random.pick(['GET', 'GET', 'HEAD', 'DELETE']);
  const [before, after] = random.once(8) ? random.pick(NO_PLANT_PATHS) : (['/plants/', ''] as const);
  const id = idOf(segment);
  let expected: Expected;
  // What is more than one segment, or none, is no plant's path; two segments are operations of their own.
  const isElsewhere = !(before === '/plants/' && (after === '' || after.startsWith('?'))) || segment === '';
  const path = `${before}${segment}${after}`;
  // `/` leads browsers to the reference page, and has no other method.
  if (isElsewhere) expected = refused(path === '/' && method === 'DELETE' ? 40500 : 40400);
  else if (['import', 'export', 'count'].includes(segment)) expected = refused(40500);
  else if (id === undefined) expected = refused(40002);
  else expected = method === 'DELETE' ? run.model.remove(id) : run.model.read(id);
  // An export and a count are no hostile paths.
  if (['export', 'count'].includes(segment) && method !== 'DELETE') return;
  await run.send({ index, method, path }, id ?? index, (answer) =>
    mismatch(answer, method === 'HEAD' && expected.body !== undefined ? { ...expected, body: '' } : expected),
  );
}

const SEGMENTS = [
  '',
  ...items(`
  .  ..  +1  01  -0  -01  00  1.0  1e3  1e0  %201  1%20  1%00  %00  %2D1  -%31  --1  -  %2B1  0x10  1_000
  1n  %  %2  %zz  1%  %C3%28  %ED%A0%80  %FF  %F0%9F%8C%BF  %D9%A1  %EF%BC%91  1%2F2  %2F  %5C  %2e%2e
  %2E  %250  %3F  %23  import  export  count  Import  impor%74  null  true  NaN  undefined  __proto__
  constructor  [object%20Object]  {id}  :id  *  (1)  '1'  1;v=1  1,2  1:2  1@2  $1  !  ~1  1&2  1=1  %0A1
  1%0D%0A  9223372036854775808  -9223372036854775809  9007199254740993  4503599627370497.5
`),
];

/** What stands before and behind an id where it is none of a plant, and a query, which does not matter. */
const NO_PLANT_PATHS = [
  ['/plants/', '/'],
  ['/plants/', '/1'],
  ['/plants//', ''],
  ['/Plants/', ''],
  ['/plant/', ''],
  ['/', ''],
  ['//plants/', ''],
  ['/plants/plants/', ''],
  ['/plants/', '?after=x&limit=-1'],
  ['/plants/', '?'],
] as const;

/** The id that a segment of a path stands for. */
function idOf(segment: string): bigint | undefined {
  let text: string;
  try {
    text = decodeURIComponent(segment);
  } catch {
    return undefined;
  }
  const id = /^(?:0|-?[1-9]\d{0,18})$/.test(text) ? BigInt(text) : undefined;
  return id !== undefined && BigInt.asIntN(64, id) === id ? id : undefined;
}

/** Characters of a name and of a tag by which plants are looked up. */
const INDEXED = 64;

async function sendList(run: Run, index: number, random: Random): Promise<void> {
  const pairs: string[] = [];
  for (const [name, values] of Object.entries(VALUES)) {
    if (random.once(3))
      pairs.push(`${name}=${random.once(2) ? random.pick(values) : goodValue(random, name)}`);
  }
  while (random.once(6)) pairs.push(random.pick(OTHER_PAIRS));
  if (random.once(300))
    pairs.push(...Array.from({ length: random.below(1_500) }, (_, place) => `x${place}=1`));
  const query = pairs.join(random.once(40) ? '&&' : '&');
  const expected = readQuery(query);
  await run.send({ index, method: 'GET', path: `/plants?${query}` }, index, (answer) => {
    if (expected === undefined) return mismatch(answer, refused(40002));
    return answer.status === 200 ? problemOfList(run, answer, expected) : '200 is expected';
  });
}

const TEXTS = [
  '',
  ...[63, 64, 65].flatMap((length) => ['x'.repeat(length), '%F0%9F%8C%BF'.repeat(length)]),
  ...items(`
  a  Aloe  plant+1  plant%201  plant  %F0%9F%8C%BF  %E8%8D%89  +  %2B  %00  a%00  %ED%A0%80  %FF  %
  %u0041  %25  _  *  '  "  %5C  =  a=b  __proto__  %EF%BF%BF  %F4%8F%BF%BF  %F4%90%80%80
`),
];

const VALUES = {
  limit: [
    '',
    ...items(`
    1  2  1000  1001  0  -1  -0  +5  5.0  1e2  +5  %35  %D9%A5  05  9007199254740993
    99999999999999999999  abc  null  1%00  %  5+  0x5  1,2
  `),
  ],
  after: [
    '',
    ...items(`
    0  -1  -0  00  1.5  1e3  9223372036854775807  9223372036854775808  -9223372036854775808
    -9223372036854775809  9007199254740993  x  %31  %  +1  1+
    a,1  ,0  ,  a,  ,,1  a,1,2  %2C,1  %252C%F0%9F%8C%BF,1  %C3%28,1  %25C3%2528,1  %25,1  %00,1  %2500,1
    a%2C1  a,01  a,9223372036854775808  A%2Bb,-9223372036854775808  %25ED%25A0%2580,1
  `),
  ],
  tag: TEXTS,
  name: TEXTS,
};

const OTHER_PAIRS = [
  '',
  ...items(`
  =  &  x  x=%  %=1  limit  Limit=0  limit[]=5  tag[a]=b  name[]=  %6Cimit=5  tag=b  after=5  __proto__=1
  constructor=1  access_token=x  limit=5=  limit;=1  order=name  a.b=1  %ED%A0%80=1
`),
];

function goodValue(random: Random, name: string): string {
  if (name === 'limit') return String(random.between(1, 20));
  const text = random.pick(['', 'a', 'Aloe', 'plant+1']);
  if (name !== 'after') return text;
  return random.once(2) ? String(popularId(random)) : `${text},${popularId(random)}`;
}

interface Place {
  readonly id: bigint;
  readonly name: string;
}

interface ListQuery {
  readonly limit: number;
  readonly after: Place | undefined;
  readonly tag: string | undefined;
  readonly name: string | undefined;
}

/** What a query asks for; undefined when one of its parameters is wrong. */
function readQuery(query: string): ListQuery | undefined {
  const given = new Map<string | undefined, (string | undefined)[]>();
  for (const pair of query.split('&').filter((each) => each !== '')) {
    const [name = '', ...value] = pair.split('=');
    const decoded = decode(name);
    given.set(decoded, [...(given.get(decoded) ?? []), decode(value.join('='))]);
  }
  const single = (name: string) => given.get(name)?.[0];
  const limit = given.has('limit') ? idOf(encodeURIComponent(single('limit') ?? 'x')) : 100n;
  const isFiltered = given.has('tag') || given.has('name');
  const after = given.has('after') ? readPlace(single('after') ?? 'x', isFiltered) : undefined;
  const texts = ['tag', 'name'].filter((name) => given.has(name)).map(single);
  const isWrong =
    ['limit', 'after', 'tag', 'name'].some((name) => (given.get(name)?.length ?? 1) > 1) ||
    limit === undefined ||
    limit < 1n ||
    limit > 1000n ||
    (given.has('after') && after === undefined) ||
    texts.some((text) => text === undefined || text.includes('\0')) ||
    Array.from(single('tag') ?? '').length >= INDEXED ||
    Array.from(single('name') ?? '').length > INDEXED;
  return isWrong ? undefined : { limit: Number(limit), after, tag: single('tag'), name: single('name') };
}

/** The place that a text stands for: an id, or in a list with a filter the beginning of a name and an id. */
function readPlace(text: string, isFiltered: boolean): Place | undefined {
  const parts = text.split(',');
  const [id = '', name = '', ...more] = isFiltered ? parts.toReversed() : parts;
  const [readId, readName] = [idOf(encodeURIComponent(id)), decodePercents(name)];
  const isWrong =
    parts.length !== (isFiltered ? 2 : 1) || more.length > 0 || readName?.includes('\0') === true;
  return isWrong || readId === undefined || readName === undefined
    ? undefined
    : { id: readId, name: readName };
}

function decodePercents(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function decode(text: string): string | undefined {
  return decodePercents(text.replaceAll('+', ' '));
}

function problemOfList(
  run: Run,
  { body }: Answer,
  { limit, after, tag, name }: ListQuery,
): string | undefined {
  const plants = JSON.parse(
    body.toString(),
    (key, value: unknown, { source = '' }: { source?: string } = {}) =>
      key === 'id' ? BigInt(source) : value,
  ) as { id: bigint; name: string; tag?: string }[];
  if (plants.length > limit) return `at most ${limit} plants are expected`;
  const compare = tag === undefined && name === undefined ? compareIds : compareNames;
  if (plants.some((plant, place) => place > 0 && compare(plant, plants[place - 1] ?? plant) <= 0))
    return 'another order is expected';
  const wrong = plants.find((plant) => {
    if (after !== undefined && compare(plant, after) <= 0) return true;
    if (tag !== undefined && plant.tag !== tag) return true;
    if (name !== undefined && !plant.name.startsWith(name)) return true;
    // Those may be changing.
    if (plant.id >= FIRST_CONDITIONAL && plant.id < FIRST_CONDITIONAL + BigInt(CONDITIONALS)) return false;
    const stored = run.model.plants.get(plant.id) ?? run.model.perhaps.get(plant.id);
    return stored !== undefined && (stored.name !== plant.name || stored.tag !== (plant.tag ?? null));
  });
  return wrong && `the plant ${wrong.id} is not expected`;
}

function compareIds(a: Place, b: Place): number {
  return Number(a.id > b.id) - Number(a.id < b.id);
}

/** By the characters that the index holds, byte by byte, and then by the ids. */
function compareNames(a: Place, b: Place): number {
  const [one, other] = [a, b].map(({ name }) => Buffer.from(Array.from(name).slice(0, INDEXED).join('')));
  return Buffer.compare(one as Buffer, other as Buffer) || compareIds(a, b);
}

async function sendCondition(
  run: Run,
  index: number,
  random: Random,
  tags: ReadonlyMap<string, string>,
): Promise<void> {
  const id = FIRST_CONDITIONAL + BigInt(random.below(CONDITIONALS));
  const method = random.pick(['GET', 'HEAD', 'PUT', 'PUT', 'PATCH', 'DELETE']);
  const isRead = method === 'GET' || method === 'HEAD';
  const current = run.model.plants.get(id);
  const known = [...tags.values()];
  const likely = (current && tags.get(keyOf(id, current))) ?? random.pick(known);
  const ifMatch = random.once(3) ? undefined : entityTags(random, likely, known);
  const ifNoneMatch = random.once(3) ? entityTags(random, likely, known) : undefined;
  const content = random.pick(CONTENTS);
  const body = method === 'PUT' || method === 'PATCH' ? bodyOf(content) : undefined;

  const tagOf = (plant: PlantContent) => tags.get(keyOf(id, plant)) ?? '';
  const isMatched = (plant: PlantContent | undefined) =>
    ifMatch === undefined || (plant !== undefined && ifMatch.matches(tagOf(plant), false));
  const isMet = (plant: PlantContent | undefined) =>
    isMatched(plant) && (ifNoneMatch === undefined || plant === undefined);
  const isMalformed = ifMatch?.isMalformed === true || ifNoneMatch?.isMalformed === true;
  let expected: Expected;
  if (isRead && current === undefined) expected = refused(40401);
  else if (isMalformed || (!isRead && ifNoneMatch !== undefined && !ifNoneMatch.isAny))
    expected = refused(40002);
  else if (isRead && current !== undefined) {
    const isKnown = ifNoneMatch?.matches(tagOf(current), true) === true;
    if (!isMatched(current)) expected = refused(41200);
    else expected = isKnown ? { status: 304, body: '' } : run.model.read(id);
  } else if (method === 'PUT') expected = run.model.put(id, body as Buffer, isMet);
  else if (method === 'PATCH') expected = run.model.patch(id, body as Buffer, isMet);
  else expected = run.model.remove(id, isMet);

  const headers = [
    ...(ifMatch?.values ?? []).map(
      (value) => `${random.pick(['If-Match', 'if-match'])}:${random.pick(['', ' ', '\t'])}${value}`,
    ),
    ...(ifNoneMatch?.values ?? []).map((value) => `If-None-Match: ${value}`),
    ...(body ? [JSON_TYPE] : []),
  ];
  await run.send({ index, method, path: `/plants/${id}`, headers, ...(body && { body }) }, id, (answer) => {
    // Which of the two a read looks at first is its own affair.
    if (isRead && isMalformed && (answer.status === 400 || answer.status === 412)) return undefined;
    return mismatch(answer, method === 'HEAD' ? { status: expected.status, body: '' } : expected);
  });
}

interface SentTags {
  /** Those of the header lines. */
  readonly values: readonly string[];
  readonly isMalformed: boolean;
  readonly isAny: boolean;
  matches(tag: string, isWeak: boolean): boolean;
}

function entityTags(random: Random, likely: string, known: readonly string[]): SentTags {
  if (random.once(8)) return { values: ['*'], isMalformed: false, isAny: true, matches: () => true };
  if (random.once(5)) {
    const values = [random.pick(MALFORMED_TAGS).replace('TAG', likely)];
    return { values, isMalformed: true, isAny: false, matches: () => false };
  }
  const list = Array.from({ length: random.once(100) ? random.below(300) + 1 : random.between(1, 4) }, () =>
    random.weighted([
      [4, `"${likely}"`],
      [2, `W/"${likely}"`],
      [3, `"${random.pick(known)}"`],
      [3, random.pick(OTHER_TAGS)],
    ]),
  );
  const separators = [
    '',
    ', ',
    ' ,',
    ', , ',
    ...items(`
    ,  ,\t  ,,
  `),
  ];
  const parts = list.map((tag, place) => (place === 0 ? tag : `${random.pick(separators.slice(1))}${tag}`));
  const border = random.once(8) ? random.pick([',', ', ', ' ,', ',,\t']) : '';
  const value = random.once(2) ? border + parts.join('') : parts.join('') + border;
  // A list may be split over lines at any comma.
  const [first = '', ...rest] = list;
  const values = random.once(10) && rest.length > 0 ? [first, rest.join(',')] : [value];
  return {
    values,
    isMalformed: false,
    isAny: false,
    matches: (tag, isWeak) => list.includes(`"${tag}"`) || (isWeak && list.includes(`W/"${tag}"`)),
  };
}

const OTHER_TAGS = items(`
  ""  W/""  "a"  "a,b"  "*"  "\\"  "'"  "\xe9"  "W/"  "!#~"  "0123456789abcdef0123456789abcdef"  "TAG"
`);

const MALFORMED_TAGS = [
  '',
  ...items(`
  ,  , ,  TAG  "TAG  TAG"  "TAG" "TAG"  *, "TAG"  "TAG", *  **  w/"TAG"  W/ "TAG"  W/  W/TAG  "TAG"x
  x"TAG"  "TAG";"a"  "a"b"  """  " "  "a b"  'TAG'  "TAG"/W  "TAG",x  "\t"  \xabTAG\xbb
`),
];

async function sendHeader(run: Run, index: number, random: Random): Promise<void> {
  const id = random.bigint(47);
  const body = Buffer.from(`{"id":${id},"name":"plant ${index}"}`);
  const { instead, fine, bad, errors } = random.pick(HEADERS);
  const isFine = bad.length === 0 || random.once(2);
  const headers = [JSON_TYPE, AUTHORIZATION].filter((line) => line !== instead);
  headers.push(...random.pick(isFine ? fine : bad));
  const requestId = random.once(2) ? randomId(random) : undefined;
  if (requestId !== undefined) headers.push(`X-Request-Id: ${requestId}`);
  const expected = isFine ? run.model.create(body) : undefined;
  await run.send({ index, method: 'POST', path: '/plants', headers, body }, id, (answer) => {
    const given = headerOf(answer, 'X-Request-Id') ?? '';
    const isSane = requestId !== undefined && /^[\w.:@/+=-]{1,128}$/.test(requestId);
    const isNamed = isSane ? given === requestId : /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(given);
    if (!isNamed) return 'another X-Request-Id is expected';
    if (expected !== undefined) return mismatch(answer, expected);
    const isRefused = answer.status >= 400 && errors.includes(errorOf(answer));
    return isRefused ? undefined : `${errors.join(' or ')} is expected`;
  });
}

/** Header lines of one kind. */
interface Headers {
  /** The usual line, which they replace. */
  readonly instead?: string;
  readonly fine: readonly string[][];
  readonly bad: readonly string[][];
  /** What the bad ones are answered. */
  readonly errors: readonly number[];
}

const lines = (name: string, values: readonly string[]) => values.map((value) => [`${name}: ${value}`]);

/** What changes nothing. */
const IGNORED = [
  `X-Long: ${'x'.repeat(6_000)}`,
  ...items(`
  Accept: text/html  Accept: */*;q=0  Accept-Encoding: gzip, br  Accept-Charset: x  Range: bytes=0-1
  If-Range: "a"  If-Modified-Since: yesterday  If-Match: x  If-None-Match: x  Expect: 100-continue
  X-HTTP-Method-Override: DELETE  X-Forwarded-For: \xe9  X-Forwarded-Proto: javascript  Forwarded: for=x
  Cookie: a=b; __proto__=1  Origin: null  TE: trailers  Trailer: X  Upgrade: h2c  Upgrade: websocket
  Max-Forwards: 0  Via: x  Prefer: return=minimal  Referer: \xff\xfe  User-Agent:  __proto__: x
  constructor: x  Content-Language: x  Connection: keep-alive  Connection: x  Keep-Alive: timeout=0
  Content-MD5: x  Content-Range: bytes 0-1/2  Date: x  Content-Location: /x  X-Api-Key: x
`),
];

const HEADERS: readonly Headers[] = [
  {
    instead: JSON_TYPE,
    fine: lines(
      'Content-Type',
      items(`
    application/json  APPLICATION/JSON  application/json;charset=utf-8  application/json; charset=UTF-8
    application/json; charset="utf-8"  application/json ; charset=utf-8
    application/json;charset=utf-8;x=y  application/json; profile="a;b"  \tapplication/json\t
  `),
    ),
    bad: [
      [],
      ...lines('Content-Type', [
        '',
        ...items(`
      text/plain  application/jsonx  application/json, text/plain  application/json;charset=latin1
      application/json; charset=utf-16  json  */*  application/merge-patch+json  application/x-ndjson
      application/x-www-form-urlencoded  multipart/form-data; boundary=x  application/*
      application/json charset=utf-8  /
    `),
      ]),
    ],
    errors: [41500],
  },
  {
    instead: AUTHORIZATION,
    fine: lines('Authorization', [
      `Bearer ${TOKEN}`,
      `bearer ${TOKEN}`,
      `BEARER    ${TOKEN}`,
      `bEaReR ${TOKEN} `,
    ]),
    bad: lines(
      'Authorization',
      ['', `Bearer ${TOKEN.toUpperCase()}`, `Bearer ${'x'.repeat(9_000)}`].concat(
        items(`
        Bearer  Bearer x  Bearer TOKEN x  Bearer TOKEN,  Bearer "TOKEN"  Bearer TOKEN\xe9  Bearer TOKEN=  BearerTOKEN
        Basic TOKEN  Token TOKEN  TOKEN  Bearer x, Bearer TOKEN  Bearer\tTOKEN  Digest username="TOKEN"  Bearer %
        Bearer pst_0000000000000000000000000000000000000000
      `).map((value) => value.replaceAll('TOKEN', TOKEN)),
      ),
    ),
    errors: [40100, 40101],
  },
  {
    fine: [[], ...lines('Content-Encoding', ['identity', 'IDENTITY'])],
    bad: lines(
      'Content-Encoding',
      items(`
    gzip  br  deflate  identity, gzip  zstd  x  gzip, identity
  `),
    ),
    errors: [41500],
  },
  { fine: IGNORED.map((line) => [line]), bad: [], errors: [] },
];

function randomId(random: Random): string {
  return random.once(2)
    ? randomUUID()
    : random.pick([
        'x'.repeat(128),
        'x'.repeat(129),
        ...items(`
      a  a b  \xe9  "  trace-1:a/b  {}  '  %00  a\tb  1,2  .  _@+=
    `),
      ]);
}

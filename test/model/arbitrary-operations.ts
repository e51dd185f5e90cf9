import * as fc from 'fast-check';
import type { PlantContent, PlantPatch } from './plant-reference.js';
import { INDEXED, type ListQuery, type Request } from './plant-model.js';

/** A tag as a client comes to have it: of the plant as it was before, or of none. */
type Held = 'current' | 'none';

export type Operation = Request<Held, Held | 'exists' | 'is absent'>;

/** Few, so that operations meet; among them neighbours that a double cannot tell apart. */
const IDS = [-(2n ** 63n), -1n, 2n ** 53n, 2n ** 53n + 1n, 2n ** 63n - 1n];

/** Some begin like others, differ behind the end of what an index holds, or hold characters that SQL or UTF-16 treat apart. */
const NAMES = [
  '',
  'Al',
  'Aloe',
  'aloe',
  'Al\u{10FFFF}',
  'Al%',
  'Al_e',
  `"Al'\\`,
  '\uD7FF',
  '\uE000',
  ...['', 'a', 'b'].map((end) => '🌵'.repeat(INDEXED) + end),
  `${'\u{10FFFF}'.repeat(INDEXED)}a`,
];

const TAGS = ['', 'oe', 'OE', 'a,b', '🌵'.repeat(INDEXED), `${'🌵'.repeat(INDEXED)}a`];

const name = fc.constantFrom(...NAMES);
const tag = fc.constantFrom(...TAGS);

const content: fc.Arbitrary<PlantContent> = fc.record(
  { name, tag },
  { requiredKeys: ['name'], noNullPrototype: true },
);
const patch: fc.Arbitrary<PlantPatch> = fc.record(
  { name, tag: fc.option(tag) },
  { requiredKeys: [], noNullPrototype: true },
);

/** A client that holds a tag holds the current one more often than not. */
const held = fc.constantFrom<Held[]>('current', 'current', 'none');
const condition = fc.oneof(held, held, fc.constantFrom('exists' as const, 'is absent' as const));

const filtered: fc.Arbitrary<ListQuery> = fc.record(
  {
    sort: fc.constantFrom('id', '-id', 'name', '-name'),
    total: fc.boolean(),
    limit: fc.constantFrom(1, 2, 3, 1000),
    tag,
    name: fc
      .tuple(name, fc.constantFrom(1, 2, INDEXED - 1, INDEXED, INDEXED + 1))
      .map(([text, length]) => Array.from(text).slice(0, length).join('')),
  },
  { requiredKeys: [] },
);

const searched: fc.Arbitrary<ListQuery> = fc.record(
  {
    search: fc.constantFrom(
      'aloe',
      'ALO',
      'al%',
      'al_',
      `"AL'\\`,
      'a,b',
      '🌵🌵🌵',
      'aloe  loe',
      'aloe 🌵🌵🌵b',
      'oe',
      '',
    ),
    sort: fc.constantFrom('id', 'name', '-name'),
    tag,
    total: fc.boolean(),
    limit: fc.constantFrom(1, 2, 1000),
  },
  { requiredKeys: ['search'] },
);

const query = fc.oneof(
  { weight: 5, arbitrary: filtered },
  { weight: 3, arbitrary: searched },
  { weight: 1, arbitrary: fc.record({ ids: fc.array(fc.constantFrom(...IDS), { minLength: 1 }) }) },
);

/** An operation on a plant whose id is among these; those that fill the store come more often than those that empty it. */
function operationOn(...ids: readonly bigint[]): fc.Arbitrary<Operation> {
  const on = <Kind extends Operation['kind']>(kind: Kind) => ({
    kind: fc.constant(kind),
    id: fc.constantFrom(...ids),
  });
  return fc.oneof(
    { weight: 4, arbitrary: fc.record({ ...on('create'), content }) },
    {
      weight: 3,
      arbitrary: fc.record({ ...on('put'), content, condition }, { requiredKeys: ['kind', 'id', 'content'] }),
    },
    {
      weight: 3,
      arbitrary: fc.record({ ...on('patch'), patch, condition }, { requiredKeys: ['kind', 'id', 'patch'] }),
    },
    { weight: 2, arbitrary: fc.record({ ...on('delete'), condition }, { requiredKeys: ['kind', 'id'] }) },
    { weight: 2, arbitrary: fc.record({ ...on('read'), condition: held }, { requiredKeys: ['kind', 'id'] }) },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('list'), query }) },
  );
}

const operation = operationOn(...IDS);
const alone = fc.tuple(operation, fc.boolean()).map(([one, isOther]) => (isOther ? [[], [one]] : [[one]]));
const together = fc.array(
  fc.array(operationOn(2n ** 53n, 2n ** 53n + 1n), { minLength: 1, maxLength: 2, size: 'max' }),
  { minLength: 2, maxLength: 4, size: 'max' },
);

/**
 * A step: what each of some clients does, one operation after the other, at the same time as the others. Mostly one client does
 * one thing; several meet on two plants.
 */
export const step: fc.Arbitrary<Operation[][]> = fc.oneof(
  { weight: 3, arbitrary: alone },
  { weight: 1, arbitrary: together },
);

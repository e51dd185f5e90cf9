import * as fc from 'fast-check';
import type { Condition, Content, ListQuery, Operation, Reference } from './operation.js';

/** Few, so that operations meet; among them neighbours that a double cannot tell apart. */
const IDS = [-(2n ** 63n), -1n, 2n ** 53n, 2n ** 53n + 1n, 2n ** 63n - 1n];

/** What an index holds of a name. */
const INDEXED = 64;

/** Some begin like others, or hold characters that SQL or UTF-16 treat apart. */
const SHORT_NAMES = ['', 'Al', 'Aloe', 'aloe', 'Al\u{10FFFF}', 'Al%', 'Al_e', `"Al'\\`, '\uD7FF', '\uE000'];

/** Some differ behind the end of what an index holds. */
const LONG_NAMES = [
  '🌵'.repeat(INDEXED),
  `${'🌵'.repeat(INDEXED)}a`,
  `${'🌵'.repeat(INDEXED)}b`,
  `${'\u{10FFFF}'.repeat(INDEXED)}a`,
];

const TAGS = ['', 'oe', 'OE', 'a,b', '🌵'.repeat(64), `${'🌵'.repeat(64)}a`, `${'🌵'.repeat(64)}b`];

const id = fc.constantFrom(...IDS);
const name = fc.oneof(fc.constantFrom(...SHORT_NAMES), fc.constantFrom(...LONG_NAMES));
const tag = fc.constantFrom(...TAGS);

const content: fc.Arbitrary<Content> = fc.record(
  { name, tag },
  { requiredKeys: ['name'], noNullPrototype: true },
);

/** A client that holds a tag holds the current one more often than not. */
const reference: fc.Arbitrary<Reference> = fc.record({
  to: fc.oneof(
    { weight: 3, arbitrary: fc.constant('current' as const) },
    { weight: 2, arbitrary: fc.nat({ max: 20 }) },
    { weight: 1, arbitrary: fc.constant('none' as const) },
  ),
  isWeak: fc.boolean().map((isStrong) => !isStrong),
});
const references = fc.oneof(
  { weight: 4, arbitrary: reference.map(({ to }) => [{ to, isWeak: false }]) },
  { weight: 1, arbitrary: fc.array(reference, { minLength: 1, maxLength: 3 }) },
);

const condition: fc.Arbitrary<Condition> = fc.oneof(
  { weight: 3, arbitrary: references },
  { weight: 1, arbitrary: fc.constantFrom('exists' as const, 'is absent' as const) },
);

const query: fc.Arbitrary<ListQuery> = fc.record(
  {
    limit: fc.constantFrom(1, 2, 3, 1000),
    after: fc.record({ id, name }),
    tag,
    name: fc
      .tuple(name, fc.constantFrom(1, 2, INDEXED - 1, INDEXED, INDEXED + 1))
      .map(([text, length]) => Array.from(text).slice(0, length).join('')),
  },
  { requiredKeys: [] },
);

/** Operations on plants whose ids are among these. */
function operationsOn(ids: fc.Arbitrary<bigint>): Record<Operation['kind'], fc.Arbitrary<Operation>> {
  const on = <Kind extends Operation['kind']>(kind: Kind) => ({ kind: fc.constant(kind), id: ids });
  return {
    create: fc.record({ ...on('create'), content }),
    put: fc.record({ ...on('put'), content, condition }, { requiredKeys: ['kind', 'id', 'content'] }),
    patch: fc.record(
      {
        ...on('patch'),
        patch: fc.record({ name, tag: fc.option(tag) }, { requiredKeys: [] }),
        condition,
      },
      { requiredKeys: ['kind', 'id', 'patch'] },
    ),
    delete: fc.record({ ...on('delete'), condition }, { requiredKeys: ['kind', 'id'] }),
    read: fc.record(
      { ...on('read'), known: fc.oneof(references, fc.constant('*' as const)) },
      { requiredKeys: ['kind', 'id'] },
    ),
    list: fc.record({ kind: fc.constant('list'), query }),
  };
}

const { create, put, patch, read, list, ...others } = operationsOn(id);

/** An operation of one client; those that fill the store come more often than those that empty it. */
export const operation: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 4, arbitrary: create },
  { weight: 3, arbitrary: put },
  { weight: 3, arbitrary: patch },
  { weight: 2, arbitrary: others.delete },
  { weight: 2, arbitrary: read },
  { weight: 4, arbitrary: list },
);

const contended = operationsOn(fc.constantFrom(2n ** 53n, 2n ** 53n + 1n));

/**
 * What several clients do at the same time, each one operation after the other, mostly on the same plants.
 *
 * Without `If-None-Match: *`, whose answer does not tell which plant it is about.
 */
export const concurrentOperations: fc.Arbitrary<Operation[][]> = fc.array(
  fc.array(
    fc.oneof(
      { weight: 2, arbitrary: contended.create },
      { weight: 3, arbitrary: contended.put },
      { weight: 3, arbitrary: contended.patch },
      { weight: 2, arbitrary: contended.delete },
      {
        weight: 2,
        arbitrary: contended.read.filter((one) => one.kind !== 'read' || one.known !== '*'),
      },
      { weight: 1, arbitrary: contended.list },
    ),
    { minLength: 1, maxLength: 2, size: 'max' },
  ),
  { minLength: 2, maxLength: 4, size: 'max' },
);

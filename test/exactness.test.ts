import * as fc from 'fast-check';
import { describe, expect, inject, test } from 'vitest';
import type { StoredPlant } from './support/database.js';
import { readNewPlant } from './support/plant-reference.js';
import { withoutOtherFields } from './support/plants.js';
import { createRequest, startService } from './support/service.js';

/** Bodies that are tried. */
const RUNS = inject('isLong') ? 1000 : 300;

/** What a client would be surprised to find changed: texts of any UTF-16 code units, null and numbers of any spelling. */
const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme' }),
  fc.array(fc.integer({ min: 0, max: 0xffff })).map((units) => String.fromCharCode(...units)),
);
const integer = fc.oneof(
  { weight: 6, arbitrary: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }) },
  fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }),
  fc.bigInt({ min: 2n ** 53n - 5n, max: 2n ** 53n + 5n }),
  fc.bigInt({ min: -5n, max: 5n }),
);
const numeral = fc
  .record({
    whole: integer.map(String),
    fraction: fc.option(fc.stringMatching(/^(0{1,20}|[0-9]{1,20})$/), { nil: undefined }),
    exponent: fc.option(fc.integer({ min: -25, max: 25 }), { nil: undefined }),
  })
  .map(({ whole, fraction, exponent }) =>
    [whole, fraction && `.${fraction}`, exponent && `e${exponent}`].join(''),
  );
const member = fc.oneof(
  { weight: 8, arbitrary: fc.string({ unit: 'grapheme' }).map((value) => JSON.stringify(value)) },
  { weight: 2, arbitrary: text.map((value) => JSON.stringify(value)) },
  { weight: 1, arbitrary: fc.json() },
  { weight: 1, arbitrary: numeral },
);
const idNumeral = fc.oneof(
  { weight: 4, arbitrary: integer.map(String) },
  { weight: 4, arbitrary: numeral },
  { weight: 1, arbitrary: member },
);
const memberName = fc.oneof(
  text,
  fc.constantFrom('id', 'name', 'tag', '__proto__', 'constructor', 'toString'),
);
const newPlant = fc
  .tuple(
    fc.array(fc.tuple(memberName, member), { maxLength: 4 }),
    fc.tuple(fc.constant('id'), idNumeral),
    fc.tuple(fc.constant('name'), member),
    fc.option(fc.tuple(fc.constant('tag'), member), { nil: undefined }),
  )
  .map(([others, ...own]) => [...others, ...own].filter((pair) => pair !== undefined))
  .map((members) => `{${members.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')}}`);

describe('any body', () => {
  test('is stored and answered exactly, or refused with an Error and nothing is stored', async () => {
    const service = await startService();
    const model = new Map<bigint, StoredPlant>();
    let stored = 0;

    await fc.assert(
      fc.asyncProperty(fc.oneof({ weight: 12, arbitrary: newPlant }, fc.json(), text), async (body) => {
        const expected = expectedPlant(body, model);

        const answer = await service.request('/plants', createRequest(Buffer.from(body)));

        if (expected === undefined) {
          expect(answer).toMatchObject({
            status: 400,
            body: { error: expect.any(Number), message: expect.any(String) },
          });
        } else {
          const { name, tag } = expected;
          model.set(expected.id, expected);
          stored += 1;
          expect(answer.status).toBe(200);
          expect(JSON.parse(withoutOtherFields(answer.text))).toStrictEqual(
            tag === null ? { name } : { name, tag },
          );
        }
        expect(await service.plants()).toEqual(
          [...model.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1)),
        );
      }),
      { numRuns: RUNS },
    );

    // Some bodies of every kind were tried, not only refusals.
    expect(stored).toBeGreaterThan(RUNS / 10);
  });
});

test('a body with 9,000 numbers beside the plant is stored exactly', async () => {
  const service = await startService();
  const others = `[0.5${',0'.repeat(9_000)}]`;
  const body = `{"others": ${others}, "id": 9007199254740993, "name": "Aloe"}`;

  expect(await service.request('/plants', createRequest(body))).toMatchObject({ status: 200 });

  expect(await service.plants()).toEqual([{ id: 9007199254740993n, name: 'Aloe', tag: null }]);
});

/** The plant that the contract sees in a body; undefined means refused. */
function expectedPlant(body: string, model: ReadonlyMap<bigint, StoredPlant>): StoredPlant | undefined {
  const plant = readNewPlant(Buffer.from(body));
  return typeof plant === 'number' || model.has(plant.id) ? undefined : { id: plant.id, ...plant.content };
}

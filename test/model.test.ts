import * as fc from 'fast-check';
import { expect, inject, test } from 'vitest';
import { concurrentOperations, operation } from './model/arbitrary-operations.js';
import { Ask, AskTogether, type Instances, type Knowledge } from './model/commands.js';
import { EntityTags } from './model/entity-tags.js';
import { startService } from './support/service.js';

/** Sequences that are tried. */
const RUNS = 100;

/** The log of thousands of requests would only take time. */
const QUIET = { LOG_LEVEL: 'silent' };

/** The statuses that each kind of operation may be answered with. */
const STATUSES = {
  create: [200, 400],
  put: [200, 201, 412],
  patch: [200, 404, 412],
  delete: [204, 404, 412],
  read: [200, 304, 404],
  list: [200, 400],
};
const ANSWERS = Object.entries(STATUSES).flatMap(([kind, statuses]) =>
  statuses.map((status) => `${kind} ${status}`),
);

/** Of each kind of answer so many are due at least, or the sequences have missed what they are for. */
const LEAST = RUNS / 50;

const client = fc.nat({ max: 3 });
const alone = fc.tuple(operation, client).map((parameters) => new Ask(...parameters));
const together = concurrentOperations.map((clients) => new AskTogether(clients));
// Every kind of command in the list is as likely as the others.
const commands = fc.commands([alone, alone, alone, together], { maxCommands: 10, size: 'max' });

test(
  'any sequence of operations by several clients is answered and stored as by a plain map',
  { timeout: 300_000 },
  async () => {
    const first = await startService(QUIET);
    const { database } = first;
    // SQLite has one instance, PostgreSQL any number.
    const others = inject('database') === 'postgres' ? [await startService(QUIET, database)] : [];
    const answers = new Map<string, number>();
    const instances: Instances = {
      services: [first, ...others],
      onAnswer: ({ kind }, status) =>
        answers.set(`${kind} ${status}`, (answers.get(`${kind} ${status}`) ?? 0) + 1),
    };

    await fc.assert(
      fc.asyncProperty(commands, async (sequence) => {
        await database.execute('DELETE FROM plants');
        const model: Knowledge = { plants: new Map(), tags: new EntityTags() };

        await fc.asyncModelRun(() => ({ model, real: instances }), sequence);

        expect(await database.plants()).toEqual(
          [...model.plants]
            .toSorted(([a], [b]) => (a < b ? -1 : 1))
            .map(([id, { name, tag = null }]) => ({ id, name, tag })),
        );
      }),
      { numRuns: RUNS },
    );

    for (const answer of ANSWERS) expect(answers.get(answer), answer).toBeGreaterThan(LEAST);
    expect([...answers.keys()].toSorted()).toEqual(ANSWERS.toSorted());
  },
);

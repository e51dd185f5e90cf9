import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, inject, test, vi } from 'vitest';
import { emptyDatabase, type TestDatabase } from '../support/database.js';
import { run } from '../support/running-process.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const OPERATIONS = Number(process.env['OPERATIONS'] ?? 5_000);
const SEED = Number(process.env['SEED'] ?? Math.floor(Math.random() * 1e6));
const FOLDER = fileURLToPath(new URL('.', import.meta.url));

/** PostgreSQL has two instances, with lanes of their own. */
const FIRST_LANES = inject('database') === 'postgres' ? [0, 100] : [0];

/** A line of the journal of `transactions-worker.ts`. */
interface Entry {
  readonly lane: number;
  readonly before?: readonly (string | null)[];
  readonly after?: readonly (string | null)[];
  readonly wrong?: unknown;
  readonly error?: string;
}

/** Lets the lanes write for a while and kills them; returns what their journals say. */
async function writeUntilKilled(database: TestDatabase, round: number, ms: number): Promise<Entry[]> {
  const workers = FIRST_LANES.map((lane) => {
    const journal = join(temporaryFolder(), 'journal');
    const environment = {
      DATABASE_URL: database.url,
      BOOTSTRAP_TOKEN: 'a-token-for-the-tests',
      LOG_LEVEL: 'error',
    };
    const args = [journal, String(lane), String(SEED + round)];
    return {
      journal,
      process: run('transactions-worker.ts', args, temporaryFolder(), environment, { built: FOLDER }),
    };
  });
  const isOver = Promise.race(workers.map(({ process }) => process.exited));
  const hasBegun = () => workers.every(({ journal }) => existsSync(journal) && statSync(journal).size > 0);
  await Promise.race([vi.waitUntil(hasBegun, { timeout: 30_000 }), isOver]);
  await Promise.race([sleep(ms), isOver]);
  for (const { process } of workers) process.child.kill('SIGKILL');
  const ends = await Promise.all(workers.map(({ process }) => process.exited));
  expect(ends, workers.map(({ process }) => process.stderr()).join('\n')).toEqual(
    FIRST_LANES.map(() => null),
  );
  return workers.flatMap(({ journal }) =>
    readFileSync(journal, 'utf8')
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Entry),
  );
}

/** What the database may have of each lane: what it was sure of, and what it was writing. */
function statesOf(entries: readonly Entry[]): Map<number, readonly (readonly (string | null)[])[]> {
  const states = new Map<number, readonly (readonly (string | null)[])[]>();
  for (const { lane, before, after } of entries)
    if (before !== undefined) states.set(lane, after === undefined ? [before] : [before, after]);
  return states;
}

test(
  `${OPERATIONS} writes by Collection and TypeORM at once, with kills between them, leave what each was told: seed ${SEED}`,
  { timeout: OPERATIONS * 20 + 60_000 },
  async () => {
    const database = await emptyDatabase();
    let done = 0;
    const errors = new Map<string, number>();

    for (let round = 1; done < OPERATIONS; round += 1) {
      const entries = await writeUntilKilled(database, round, 1_000 + 4_000 * Math.random());
      done += entries.filter(({ before, after }) => before !== undefined && after === undefined).length;
      for (const { error = '' } of entries) errors.set(error, (errors.get(error) ?? 0) + 1);
      expect(entries.filter(({ wrong }) => wrong !== undefined)).toEqual([]);
      const stored = new Map((await database.plants()).map(({ id, name }) => [id, name]));
      for (const [lane, states] of statesOf(entries)) {
        const names = [0, 1, 2, 3].map((index) => {
          const id = BigInt(lane * 4 + index) + (index % 2 === 0 ? 1n : 2n ** 60n);
          return stored.get(id) ?? null;
        });
        expect(states).toContainEqual(names);
      }
    }

    errors.delete('');
    console.log(
      `${done} writes on ${inject('database')}; refused: ${JSON.stringify(Object.fromEntries(errors))}`,
    );
  },
);

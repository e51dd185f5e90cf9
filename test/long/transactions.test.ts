import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, inject, test, vi } from 'vitest';
import { emptyDatabase, type TestDatabase } from '../support/database.js';
import { run } from '../support/running-process.js';
import { TOKEN } from '../support/service.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const OPERATIONS = Number(process.env['OPERATIONS'] ?? 5_000);
const FOLDER = fileURLToPath(new URL('.', import.meta.url));

/** PostgreSQL has two instances, with lanes of their own. */
const FIRST_LANES = inject('database') === 'postgres' ? [0, 100] : [0];

/** A line of `transactions-worker.ts`. */
interface Entry {
  readonly lane: number;
  readonly before: readonly (string | null)[];
  readonly after?: readonly (string | null)[];
  readonly isDone?: boolean;
  /** What should have been there instead. */
  readonly allowed?: unknown;
}

/** Lets the lanes write for a while and kills them; returns what they have printed. */
async function writeUntilKilled({ url }: TestDatabase, ms: number): Promise<Entry[]> {
  const environment = { DATABASE_URL: url, BOOTSTRAP_TOKEN: TOKEN, LOG_LEVEL: 'silent' };
  const workers = FIRST_LANES.map((lane) =>
    run('transactions-worker.ts', [String(lane)], temporaryFolder(), environment, { built: FOLDER }),
  );
  const isOver = Promise.race(workers.map(({ exited }) => exited));
  const hasBegun = () => workers.every(({ stdout }) => stdout() !== '');
  await Promise.race([vi.waitUntil(hasBegun, { timeout: 30_000 }), isOver]);
  await Promise.race([sleep(ms), isOver]);
  for (const { child } of workers) child.kill('SIGKILL');
  for (const { exited, stderr } of workers) expect(await exited, stderr()).toBe(null);
  const lines = workers.flatMap(({ stdout }) => stdout().split('\n').slice(0, -1));
  return lines.map((line) => JSON.parse(line) as Entry);
}

test(
  `${OPERATIONS} writes by Collection and TypeORM at once, with kills between them, leave what each was told`,
  { timeout: OPERATIONS * 20 + 60_000 },
  async () => {
    const database = await emptyDatabase();

    for (let done = 0; done < OPERATIONS;) {
      const entries = await writeUntilKilled(database, 1_000 + 4_000 * Math.random());
      done += entries.filter(({ isDone }) => isDone).length;
      expect(entries.filter(({ allowed }) => allowed !== undefined)).toEqual([]);
      const stored = new Map((await database.plants()).map(({ id, name }) => [id, name]));
      // The last line of each lane says what it was sure of, and what it was writing.
      for (const { lane, before, after } of new Map(entries.map((entry) => [entry.lane, entry])).values()) {
        const names = before.map((_, index) => {
          const id = BigInt(lane * before.length + index) + (index % 2 === 0 ? 1n : 2n ** 60n);
          return stored.get(id) ?? null;
        });
        expect([before, after]).toContainEqual(names);
      }
    }
  },
);

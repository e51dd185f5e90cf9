import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setImmediate as turnOfTheEventLoop } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { Client, type QueryResultRow } from 'pg';
import { inject, onTestFinished } from 'vitest';
import { clearDatabase, createDatabase } from './postgres-server.js';
import { temporaryFolder } from './temporary-folder.js';

export interface StoredPlant {
  readonly id: bigint;
  readonly name: string;
  readonly tag: string | null;
}

/** An empty database of one test, and a way to it past the service. */
export interface TestDatabase {
  /** For `DATABASE_URL`. */
  readonly url: string;
  /** Every plant in ascending id, with exact ids. */
  plants(): Promise<StoredPlant[]>;
  execute(sql: string): Promise<void>;
  /** The cursor of the last change of plants, 0 without one. */
  lastCursor(): Promise<number>;
  /** All that is kept of tokens and webhooks, in whatever form. */
  dump(): Promise<string>;
}

const ALL_PLANTS = 'SELECT CAST(id AS TEXT) AS id, name, tag FROM plants ORDER BY plants.id';
const LAST_CURSOR = "SELECT max(cursor) AS last FROM plants_changes WHERE kind <> 'beginning'";

/** Makes an empty database of the kind that this run tests; it is gone when the test is over. */
export async function emptyDatabase(): Promise<TestDatabase> {
  return inject('database') === 'postgres' ? emptyPostgres() : emptySqlite();
}

export function pathOf({ url }: TestDatabase): string {
  return url.slice('sqlite:'.length);
}

/** Makes a path for a SQLite database in a folder of its own. */
export function emptySqlite(path = join(temporaryFolder(), 'plant-store.db')): TestDatabase {
  const use = async <Result>(
    work: (database: Database.Database) => Result | Promise<Result>,
  ): Promise<Result> => {
    const database = new Database(path);
    try {
      return await work(database);
    } finally {
      database.close();
    }
  };
  return {
    url: `sqlite:${path}`,
    plants: () => use((database) => withExactIds(database.prepare<[], Row>(ALL_PLANTS).all())),
    execute: (sql) =>
      use(async (database) => {
        await writable(database);
        database.exec(sql);
      }),
    lastCursor: () => use((database) => Number(database.prepare(LAST_CURSOR).pluck().get())),
    dump: async () =>
      readdirSync(dirname(path))
        .map((name) => readFileSync(join(dirname(path), name), 'latin1'))
        .join(''),
  };
}

/** Waits until nobody writes. A statement that waits stops a service in this process, which then never ends its transaction. */
async function writable(database: Database.Database): Promise<void> {
  const timeout = database.pragma('busy_timeout', { simple: true }) as number;
  database.pragma('busy_timeout = 0');
  for (;;) {
    try {
      database.exec('BEGIN IMMEDIATE; ROLLBACK');
      break;
    } catch (error) {
      if (!(error instanceof Database.SqliteError) || error.code !== 'SQLITE_BUSY') throw error;
      await turnOfTheEventLoop();
    }
  }
  database.pragma(`busy_timeout = ${timeout}`);
}

/** The databases of tests that are over: to empty one takes a tenth of the time that a new one takes. */
const released: string[] = [];

async function emptyPostgres(): Promise<TestDatabase> {
  const url = released.pop() ?? (await createDatabase(inject('postgresServer')));
  onTestFinished(async () => {
    await clearDatabase(url);
    released.push(url);
  });
  return postgresAt(url);
}

/** A way to a PostgreSQL database past the service. */
export function postgresAt(url: string): TestDatabase {
  let connected: Promise<Client> | undefined;
  const connect = async () => {
    const client = await new Client({ connectionString: url }).connect();
    client.on('error', () => (connected = undefined));
    onTestFinished(() => client.end());
    return client;
  };
  const query = async <Result extends QueryResultRow>(sql: string) =>
    (await (await (connected ??= connect())).query<Result>(sql)).rows;
  return {
    url,
    plants: async () => withExactIds(await query<Row>(ALL_PLANTS)),
    execute: async (sql) => void (await query(sql)),
    lastCursor: async () => Number((await query<{ last: string | null }>(LAST_CURSOR))[0]?.last),
    dump: async () =>
      JSON.stringify([await query('SELECT * FROM access_tokens'), await query('SELECT * FROM webhooks')]),
  };
}

interface Row extends QueryResultRow {
  readonly id: string;
  readonly name: string;
  readonly tag: string | null;
}

function withExactIds(rows: readonly Row[]): StoredPlant[] {
  return rows.map(({ id, name, tag }) => ({ id: BigInt(id), name, tag }));
}

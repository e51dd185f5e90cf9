import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { createDatabase, dropDatabase, PostgresServer, query } from '../test/support/postgres-server.js';
import { ALL_CORES, bind, cpuUsOf } from './machine.js';

export const KINDS = ['SQLite', 'PostgreSQL'] as const;

export type DatabaseKind = (typeof KINDS)[number];

/** A database of one server. */
export interface BenchDatabase {
  /** As `DATABASE_URL` takes it. */
  readonly url: string;
  /** CPU of the database's own processes so far, in microseconds. */
  cpuUs(): number;
  countPlants(): Promise<number>;
  /** Bytes on disk: of the plants and their indexes on PostgreSQL, of the file on SQLite. */
  bytes(): Promise<number>;
  execute(sql: string): Promise<void>;
  /** Does now what the database would do by itself some time after many writes. */
  settle(): Promise<void>;
  drop(): Promise<void>;
}

const COUNT_PLANTS = 'SELECT count(*) FROM plants';

/** Makes empty databases: on SQLite a file each, on PostgreSQL all on one server, which starts with the first. */
export class Databases {
  private server: PostgresServer | undefined;

  /** @param folder of a SQLite file. */
  async create(kind: DatabaseKind, folder: string): Promise<BenchDatabase> {
    if (kind === 'SQLite') return sqliteFile(join(folder, 'plant-store.db'));
    this.server ??= await startPostgres();
    return postgresDatabase(this.server, await createDatabase(this.server.url()));
  }

  async remove(): Promise<void> {
    await this.server?.remove();
  }
}

/** Starts PostgreSQL on all cores. Without the flags that make tests fast, commits are as durable as by default. */
async function startPostgres(): Promise<PostgresServer> {
  const server = await PostgresServer.start([]);
  bind(postmasterOf(server), ALL_CORES);
  return server;
}

/** The parent of all processes of the server. */
function postmasterOf({ folder }: PostgresServer): number {
  return Number.parseInt(readFileSync(join(folder, 'postmaster.pid'), 'utf8'), 10);
}

function sqliteFile(path: string): BenchDatabase {
  const execute = async (sql: string) => {
    const file = new Database(path);
    // With less, millions of new rows in one transaction would write the pages of the indexes many times.
    file.pragma('cache_size = -2000000');
    file.exec(sql);
    file.close();
  };
  return {
    url: `sqlite:${path}`,
    // SQLite runs in the process of the server.
    cpuUs: () => 0,
    countPlants: async () => {
      const file = new Database(path, { readonly: true });
      const stored = file.prepare<[], number>(COUNT_PLANTS).pluck().get();
      file.close();
      return stored ?? 0;
    },
    bytes: async () => statSync(path).size,
    execute,
    settle: () => execute('PRAGMA wal_checkpoint(TRUNCATE)'),
    // The file goes with its folder.
    drop: async () => {},
  };
}

function postgresDatabase(server: PostgresServer, url: string): BenchDatabase {
  const numberOf = async (sql: string) => {
    const [row = {}] = await query<Record<string, string>>(url, sql);
    return Number(Object.values(row)[0]);
  };
  return {
    url,
    // Of the whole server, which nobody else uses.
    cpuUs: () => cpuUsOf(postmasterOf(server)),
    countPlants: () => numberOf(COUNT_PLANTS),
    bytes: () => numberOf("SELECT pg_total_relation_size('plants')"),
    execute: async (sql) => void (await query(url, sql)),
    settle: async () => {
      await query(url, 'VACUUM ANALYZE');
      await query(url, 'CHECKPOINT');
    },
    drop: () => dropDatabase(server.url(), url),
  };
}

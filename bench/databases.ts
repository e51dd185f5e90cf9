import { execFileSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { createDatabase, dropDatabase, PostgresServer, query } from '../test/support/postgres-server.js';
import { ALL_CORES, cpuUsOfFamily } from './machine.js';

export const KINDS = ['SQLite', 'PostgreSQL'] as const;

export type DatabaseKind = (typeof KINDS)[number];

/** An empty database for one contender. */
export interface BenchDatabase {
  /** As `DATABASE_URL` takes it. */
  readonly url: string;
  /** CPU that the database has used so far in processes of its own, in microseconds. */
  cpuUs(): number;
  /** Transactions that have written so far; NaN where that cannot be seen from outside. */
  writeTransactions(): Promise<number>;
  /** Bytes of the write-ahead log so far; NaN on SQLite. */
  logBytes(): Promise<number>;
  countPlants(): Promise<number>;
  /** Bytes on disk, of the plants and their indexes on PostgreSQL, of the file on SQLite. */
  bytes(): Promise<number>;
  execute(sql: string): Promise<void>;
  /** Does now what the database would do by itself sooner or later after many writes. */
  settle(): Promise<void>;
  drop(): Promise<void>;
}

const COUNT_PLANTS = 'SELECT count(*) AS stored FROM plants';

/** Makes databases: on SQLite a file each, on PostgreSQL all on one server, which is started for the first. */
export class Databases {
  private server: PostgresServer | undefined;

  /** @param cores that PostgreSQL may use; SQLite runs where the contender runs. */
  constructor(private readonly cores = ALL_CORES) {}

  /** Makes a database; a file lies in the folder. */
  async create(kind: DatabaseKind, folder: string): Promise<BenchDatabase> {
    if (kind === 'SQLite') return new SqliteFile(join(folder, 'plant-store.db'));
    this.server ??= await this.startPostgres();
    return new PostgresDatabase(this.server, await createDatabase(this.server.url()));
  }

  async remove(): Promise<void> {
    await this.server?.remove();
  }

  private async startPostgres(): Promise<PostgresServer> {
    // Without the flags that make tests fast, commits are as durable as PostgreSQL makes them by default.
    const server = await PostgresServer.start([]);
    // Connections come later, and their processes inherit the placement.
    execFileSync('taskset', ['-cp', this.cores, String(postmasterOf(server))]);
    return server;
  }
}

/** The process that is the parent of all others of the server. */
function postmasterOf({ folder }: PostgresServer): number {
  return Number(readFileSync(join(folder, 'postmaster.pid'), 'utf8').split('\n')[0]);
}

/** SQLite runs within the process of the contender, so its CPU is there. */
class SqliteFile implements BenchDatabase {
  readonly url: string;

  constructor(private readonly path: string) {
    this.url = `sqlite:${path}`;
  }

  cpuUs(): number {
    return 0;
  }

  async writeTransactions(): Promise<number> {
    return Number.NaN;
  }

  async logBytes(): Promise<number> {
    return Number.NaN;
  }

  async countPlants(): Promise<number> {
    const file = new Database(this.path, { readonly: true });
    const row = file.prepare<[], { stored: number }>(COUNT_PLANTS).get();
    file.close();
    return row?.stored ?? 0;
  }

  async bytes(): Promise<number> {
    return statSync(this.path).size;
  }

  async execute(sql: string): Promise<void> {
    const file = new Database(this.path);
    // Millions of rows in one transaction would otherwise go to disk and back for each new entry of an index.
    file.pragma('cache_size = -2000000');
    file.exec(sql);
    file.close();
  }

  async settle(): Promise<void> {
    await this.execute('PRAGMA wal_checkpoint(TRUNCATE)');
  }

  /** The file goes with its folder. */
  async drop(): Promise<void> {}
}

class PostgresDatabase implements BenchDatabase {
  constructor(
    private readonly server: PostgresServer,
    readonly url: string,
  ) {}

  /** Of the whole server: nobody else uses it. */
  cpuUs(): number {
    return cpuUsOfFamily(postmasterOf(this.server));
  }

  /** Every transaction that writes takes the next id; counts in `pg_stat_database` come seconds late. */
  async writeTransactions(): Promise<number> {
    const sql = 'SELECT pg_snapshot_xmax(pg_current_snapshot()) AS next';
    const [row] = await query<{ next: string }>(this.url, sql);
    return Number(row?.next);
  }

  async logBytes(): Promise<number> {
    const sql = "SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn AS bytes";
    const [row] = await query<{ bytes: string }>(this.url, sql);
    return Number(row?.bytes);
  }

  async countPlants(): Promise<number> {
    const [row] = await query<{ stored: string }>(this.url, COUNT_PLANTS);
    return Number(row?.stored);
  }

  async bytes(): Promise<number> {
    const [row] = await query<{ size: string }>(this.url, "SELECT pg_total_relation_size('plants') AS size");
    return Number(row?.size);
  }

  async execute(sql: string): Promise<void> {
    await query(this.url, sql);
  }

  async settle(): Promise<void> {
    await this.execute('VACUUM ANALYZE');
    await this.execute('CHECKPOINT');
  }

  /** PostgreSQL ends this with a checkpoint, so the next contender begins with one too. */
  async drop(): Promise<void> {
    await dropDatabase(this.server.url(), this.url);
  }
}

/** Whoever answers 200 has to have stored the plant; what was in flight when the load ended may be there too. */
export async function assertStored(database: BenchDatabase, created: number): Promise<void> {
  const stored = await database.countPlants();
  if (stored < created) throw new Error(`${created} creates were acknowledged, but ${stored} are stored.`);
}

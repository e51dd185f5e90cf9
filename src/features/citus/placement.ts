import type { ObjectLiteral } from 'typeorm';
import { isStoreUnavailable } from '../../kernel/store/database-errors.js';
import type { Queries } from '../../kernel/store/queries.js';
import type { Key } from '../../kernel/store/table.js';
import { hashOf } from './hash.js';
import { isMissingTable, type Worker } from './worker.js';

/** A shard of a table, and the worker that has it. */
export interface Shard {
  /** The name of the whole table, in quotes. */
  readonly name: string;
  readonly least: number;
  readonly id: string;
  /** The table of the shard itself, in quotes if need be. */
  readonly table: string;
  readonly worker: Worker;
  /** The number by which Citus knows the worker. */
  readonly group: number;
}

/** A shard that should have been read is not where it was. */
const MOVED = new Error('A shard has moved.');

/** Where the shards of a table are, as the coordinator knew it at one moment. */
export class Placement {
  readonly shards: ReadonlyMap<Worker, WorkerShards>;

  /** @param all every shard of the table, sorted by least hash. */
  constructor(private readonly all: readonly Shard[]) {
    const byWorker = Map.groupBy(all, ({ worker }) => worker);
    this.shards = new Map(
      Array.from(byWorker, ([worker, shards]) => [
        worker,
        new WorkerShards(worker, shards, shards.length / all.length),
      ]),
    );
  }

  /** The worker that has the row; undefined if the key is not an int64. */
  workerOf(key: Key): Worker | undefined {
    if (typeof key !== 'bigint') return undefined;
    const hash = hashOf(key);
    return this.all.findLast(({ least }) => least <= hash)?.worker;
  }
}

/**
 * The shards of a table at one worker, which are read there as plain tables: Citus would plan each statement anew, at ten times
 * the cost of reading its rows.
 */
export class WorkerShards implements Queries {
  /** All rows, for the FROM of a statement. */
  readonly rows: string;
  private readonly areHere: string;

  constructor(
    readonly worker: Worker,
    private readonly shards: readonly Shard[],
    /** The fraction of the table's shards that are here. */
    readonly share: number,
  ) {
    const tables = shards.map(({ table }) => `SELECT * FROM ${table}`);
    this.rows = `(${tables.join(' UNION ALL ')}) AS ${shards[0]?.name}`;
    const ids = shards.map(({ id }) => id).join();
    // With a parameter, the statement is prepared, which saves half of its time.
    this.areHere = `? = (SELECT count(*) FROM pg_dist_placement WHERE groupid = ${shards[0]?.group} AND shardid IN (${ids}))`;
  }

  /** Runs a statement that reads `rows`. @throws an error that `isElsewhere` when the worker does not have all of them any more. */
  async query(text: string, parameters: unknown[] = []): Promise<ObjectLiteral[]> {
    const guarded =
      `SELECT found.*, "areHere" FROM (SELECT ${this.areHere} AS "areHere") AS guard ` +
      `LEFT JOIN (SELECT true AS "isFound", asked.* FROM (${text}) AS asked) AS found ON true`;
    const found = await this.worker.ask((server) =>
      server.query<ObjectLiteral[]>(guarded, [this.shards.length, ...parameters]),
    );
    if (!found[0]?.['areHere']) throw MOVED;
    return found.filter(({ isFound }) => isFound === true);
  }
}

/** Whether the coordinator may still be able to read what a worker could not. */
export function isElsewhere(error: unknown): boolean {
  return error === MOVED || isMissingTable(error) || isStoreUnavailable(error);
}

import { Logger } from '@nestjs/common';
import type { DatabaseError } from 'pg';
import { type DataSource, type ObjectLiteral, QueryFailedError } from 'typeorm';
import { hashOf } from './hash.js';

/** Milliseconds between two reads of the places of the shards, each of which takes the coordinator 2 ms. */
const READ_EVERY_MS = 2_000;

/** Each shard of a distributed table has the hashes from the least one on, up to the next shard. */
const SHARDS = `
  SELECT format('"%s"."%s"', relname, column_to_column_name(logicalrelid, partkey)) AS column,
    CAST(shardminvalue AS INTEGER) AS least, shardid AS id, shard_name(logicalrelid, shardid) AS table,
    coalesce(nodename || ':' || nodeport, '') AS name, nodename AS host, nodeport AS port
  FROM pg_dist_partition JOIN pg_class ON pg_class.oid = logicalrelid JOIN pg_dist_shard AS shard USING (logicalrelid)
    LEFT JOIN LATERAL (
      SELECT nodename, nodeport FROM pg_dist_placement JOIN pg_dist_node USING (groupid)
      WHERE shardid = shard.shardid AND shardstate = 1 AND noderole = 'primary' LIMIT 1
    ) AS place ON true
  WHERE partmethod = 'h' AND pg_table_is_visible(logicalrelid)
  ORDER BY least`;

/** A number that no other cluster has, or the message of an error. */
const IDENTITY = `
  SELECT success, result FROM run_command_on_coordinator('SELECT system_identifier FROM pg_control_system()')`;

export interface Address {
  readonly host: string;
  readonly port: number;
}

interface Shard extends Address {
  /** Of its worker; empty when none has it. */
  readonly name: string;
  /** The table and the column that it is distributed by, in quotes. */
  readonly column: string;
  readonly least: number;
  readonly id: string;
  /** The table of the shard itself, in quotes if need be. */
  readonly table: string;
}

/** Opens a data source on a server of the cluster; undefined means the coordinator. */
export type Open = (address?: Address) => Promise<DataSource>;

/**
 * The workers of a Citus cluster, and which of them has a row.
 *
 * Any server of the cluster takes a statement and leads it to where the rows are. So what is known here may be out of date,
 * which only takes longer.
 */
export class Cluster {
  private readonly logger = new Logger(Cluster.name);
  private readonly workers = new Map<string, Worker>();
  private readonly sources = [this.everywhere];
  private shards = new Map<string, Shard[]>();
  private reading: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly coordinator: DataSource,
    /** The coordinator on connections of their own, for lists, which wait for every worker. */
    readonly everywhere: DataSource,
    private readonly open: Open,
  ) {}

  /** The worker that has the row; undefined when the table is not distributed by this column, or the column is no int64. */
  workerOf(column: string, value: unknown): Worker | undefined {
    const shards = this.shards.get(column);
    if (shards === undefined || typeof value !== 'bigint') return undefined;
    const hash = hashOf(value);
    const shard = shards.findLast(({ least }) => least <= hash);
    return shard && this.workers.get(shard.name);
  }

  /** All shards of a table; undefined when it is not distributed by this column, or a worker cannot be reached directly. */
  partsOf(column: string): readonly Part[] | undefined {
    const names = new Set(this.shards.get(column)?.map(({ name }) => name));
    const parts = [...names].map((name) => this.workers.get(name)?.parts.get(column));
    return names.size > 0 && parts.every((part) => part !== undefined) ? parts : undefined;
  }

  /** Reads where the shards are, now and from time to time. If that fails, what was known stays. */
  async read(): Promise<void> {
    this.reading = this.readShards()
      .catch((error: unknown) => this.logger.warn(`The shards could not be read: ${String(error)}`))
      .finally(() => (this.timer = setTimeout(() => void this.read(), READ_EVERY_MS).unref()));
    await this.reading;
  }

  async close(): Promise<void> {
    await this.reading;
    clearTimeout(this.timer);
    await Promise.all(this.sources.map((source) => source.destroy()));
  }

  private async readShards(): Promise<void> {
    const shards = await this.coordinator.query<Shard[]>(SHARDS);
    if (shards.some(({ name }) => name === '')) throw new Error('A shard has no worker.');
    const addresses = new Map(shards.map((shard) => [shard.name, shard]));
    await Promise.all([...addresses].map(async ([name, address]) => this.reach(name, address)));
    this.shards = Map.groupBy(shards, ({ column }) => column);
    for (const worker of this.workers.values()) worker.parts.clear();
    for (const [column, ofTable] of this.shards)
      for (const [name, ofWorker] of Map.groupBy(ofTable, (shard) => shard.name)) {
        const worker = this.workers.get(name);
        if (worker?.isDirect) worker.parts.set(column, new Part(worker.source, ofWorker));
      }
  }

  /** Opens a worker that is not reached directly yet: by its own address, or else through the coordinator. */
  private async reach(name: string, address: Address): Promise<void> {
    const known = this.workers.get(name);
    if (known?.isDirect) return;
    let worker: Worker;
    try {
      worker = new Worker(await this.openDirectly(address), true);
      this.logger.log(`Asks ${name} directly.`);
    } catch (error) {
      if (known !== undefined) return;
      worker = new Worker(await this.open(), false);
      this.logger.warn(`Asks ${name} through the coordinator: ${String(error)}`);
    }
    this.workers.set(name, worker);
    this.sources.push(worker.source);
  }

  /** @throws Error when no server can be reached there, or it is one of another cluster. */
  private async openDirectly(address: Address): Promise<DataSource> {
    const source = await this.open(address);
    try {
      const [its, ours] = await Promise.all([source, this.coordinator].map(identityOf));
      if (its !== ours) throw new Error('The server is of another cluster.');
      return source;
    } catch (error) {
      await source.destroy();
      throw error;
    }
  }
}

async function identityOf(source: DataSource): Promise<string> {
  const [found] = await source.query<{ success: boolean; result: string }[]>(IDENTITY);
  if (!found?.success) throw new Error(found?.result);
  return found.result;
}

/** A worker of a cluster. It has connections of its own, so that nothing else waits for it when it is lost. */
export class Worker {
  /** Its shards of each table, by the column that distributes it, if the worker is reached directly. */
  readonly parts = new Map<string, Part>();

  constructor(
    readonly source: DataSource,
    readonly isDirect: boolean,
  ) {}

  async query(text: string, parameters?: unknown[]): Promise<unknown> {
    // Citus connects a worker to itself for several of its own shards, but not for an INSERT or in a transaction.
    return this.isDirect && !text.startsWith('INSERT')
      ? this.source.transaction((transaction) => transaction.query(text, parameters))
      : this.source.query(text, parameters);
  }
}

/** The shards of a table at one worker, which can be read there as tables of their own. */
export class Part {
  /** All rows, for the FROM of a statement. */
  readonly rows: string;
  private readonly isHere: string;

  constructor(
    private readonly source: DataSource,
    shards: readonly Shard[],
  ) {
    this.rows = `(${shards.map(({ table }) => `SELECT * FROM ${table}`).join(' UNION ALL ')})`;
    const ids = shards.map(({ id }) => id).join();
    this.isHere =
      `${shards.length} = (SELECT count(*) FROM pg_dist_placement JOIN pg_dist_local_group USING (groupid) ` +
      `WHERE shardid IN (${ids}))`;
  }

  /** Runs a statement whose rows have a `mark` that is never null. Returns undefined when a shard has moved. */
  async query<Result extends ObjectLiteral>(
    text: string,
    parameters: readonly unknown[],
    mark: string,
  ): Promise<Result[] | undefined> {
    const guarded = `SELECT found.*, "isHere" FROM (SELECT ${this.isHere} AS "isHere") AS guard LEFT JOIN (${text}) AS found ON true`;
    const found = await this.source
      .query<(Result & { isHere: boolean })[]>(guarded, [...parameters])
      .catch((error: unknown) => {
        if (isMissingTable(error)) return [];
        throw error;
      });
    return found[0]?.isHere ? found.filter((row) => row[mark] !== null) : undefined;
  }
}

function isMissingTable(error: unknown): boolean {
  return error instanceof QueryFailedError && (error.driverError as DatabaseError).code === '42P01';
}

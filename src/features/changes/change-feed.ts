import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import type { DataSource, ObjectLiteral } from 'typeorm';
import type { DatabaseSettings } from '../../kernel/config/settings.js';
import type { ChangesSettings } from './changes.settings.js';
import { DatabaseStartError } from '../../kernel/database/database-start.error.js';
import { ApiException, unavailable } from '../../kernel/errors/api.exception.js';
import { ownErrorValue } from '../../kernel/errors/error-value.js';
import { INT64_MAX } from '../../kernel/validation/decorators.js';
import { SEPARATOR } from '../../kernel/store/scans/index-scan.js';
import { run } from '../../kernel/store/queries.js';
import type { Table } from '../../kernel/store/table.js';
import { BEGINNING, prepareTriggers } from './triggers.js';
import { noteWriters } from './writers.js';

/** Milliseconds that a reader waits for open transactions of PostgreSQL, and the maximum between two polls of its locks. */
const SETTLE_TIMEOUT_MS = 200;
const MAX_LOCK_POLL_MS = 25;

/** Cleanup interval, rows per DELETE, and pause between DELETEs. */
const CLEAN_MS = 60_000;
const SLICE = 1_000;
const PAUSE_MS = 20;

/** Rows that a statement reads at most, and the bytes of their contents with which it ends. */
const MOST_ROWS = 128;
const MOST_BYTES = 65_536;

/** The error value for a change that the service does not keep. */
export const CHANGE_NOT_KEPT = ownErrorValue(41000);

/** @param message by default what the contract says. */
export function changeNotKept(message = 'The change is not kept any more, or no changes are.'): ApiException {
  return new ApiException(CHANGE_NOT_KEPT, message);
}

/** A change as JSON, and who made it. */
export interface Change {
  readonly json: string;
  readonly by: string | null;
}

export type ChangeFilter = (change: Change) => boolean;

/** Some changes in their order, or none. */
export class Changes {
  private encoded: Buffer | undefined;
  private withWriters: Changes | undefined;

  /**
   * @param last the cursor of the last change that was read.
   * @param comment what followers get without changes.
   */
  constructor(
    readonly all: readonly Change[],
    readonly last: bigint,
    private readonly comment = '',
  ) {}

  /**
   * A comment for a client that has caught up. If the client is cut off, it resumes after `id`, even if it has had no change for
   * long, and waits for `retry` milliseconds first.
   */
  static keepAlive(cursor: bigint): Changes {
    return new Changes([], cursor, `: \nid: ${cursor}\nretry: 1000\n\n`);
  }

  /** The changes with `by`, built once for all followers. */
  get signed(): Changes {
    return (this.withWriters ??= this.signedIf((by) => by !== null));
  }

  /** The changes with `by` for those of one caller. */
  signedFor(caller: string): Changes {
    return this.all.some(({ by }) => by === caller) ? this.signedIf((by) => by === caller) : this;
  }

  private signedIf(isShown: (by: string | null) => boolean): Changes {
    if (this.all.length === 0) return this;
    const all = this.all.map(({ json, by }) => {
      const member = `,"by":${JSON.stringify(by)}`;
      return { by, json: isShown(by) ? json.replace(KIND, (kind) => kind + member) : json };
    });
    return new Changes(all, this.last);
  }

  /** Only the wanted changes; by default all. `last` stays the cursor of the last of all. */
  only(isWanted: ChangeFilter = () => true): Changes {
    const some = this.all.filter(isWanted);
    return some.length === this.all.length ? this : new Changes(some, this.last);
  }

  /** The first `count` changes. `last` is the cursor of the last of these. */
  first(count: number): Changes {
    if (count >= this.all.length) return this;
    const first = this.all.slice(0, count);
    return new Changes(first, BigInt(cursorOf(first.at(-1)?.json)));
  }

  /** One change a line (NDJSON). */
  get lines(): string {
    return this.all.map(({ json }) => `${json}\n`).join('');
  }

  /** Server-sent events, built once for all followers. */
  get events(): Buffer {
    return (this.encoded ??= Buffer.from(this.comment + this.all.map(eventOf).join('')));
  }
}

/** The kinds of changes. */
export const KINDS = ['created', 'changed', 'deleted'] as const;

/** The kind of a change in its JSON, before its content. */
export const KIND = /"kind":"(\w+)"/;

function eventOf({ json }: Change): string {
  return `id: ${cursorOf(json)}\nevent: change\ndata: ${json}\n\n`;
}

function cursorOf(json = ''): string {
  return /\d+/.exec(json)?.[0] ?? '0';
}

/**
 * The changes of a table. Triggers write each change in the transaction that makes it. Every reader gets them in the order of their
 * cursors.
 *
 * On SQLite, that is the order of commits. PostgreSQL draws cursors before it commits, so a reader waits for all transactions that
 * may have drawn a lower one.
 */
export class ChangeFeed {
  private static readonly logger = new Logger(ChangeFeed.name);
  readonly isOn: boolean;
  /** The name of the resource, such as `plants`. */
  readonly resource: string;
  /** The name of the table of changes, without quotes. */
  readonly name: string;
  /** No new change can appear at or below this cursor. */
  private final: bigint | undefined;
  /** The last cursor that was drawn when `final` was computed. */
  private settled: number | bigint | undefined;
  /** The check of open transactions that is running. Readers share it. */
  private settling: Promise<void> | undefined;
  private heldSince: number | undefined;
  private readonly end = new AbortController();
  private cleaning: NodeJS.Timeout | undefined;

  constructor(
    private readonly dataSource: DataSource,
    private readonly table: Table<ObjectLiteral>,
    private readonly database: DatabaseSettings,
    private readonly settings: ChangesSettings,
    /** Why commits have no common order, and so no changes are kept. */
    readonly disorder?: string,
  ) {
    if (disorder !== undefined && settings.kept > 0)
      ChangeFeed.logger.warn(`No changes are kept: ${disorder}.`);
    this.isOn = settings.kept > 0 && disorder === undefined;
    this.resource = table.name.replaceAll('"', '');
    this.name = `${this.resource}_changes`;
  }

  /** Makes the triggers, or removes them. @throws DatabaseStartError when the database cannot have them. */
  async begin(): Promise<void> {
    try {
      await this.dataSource.transaction((queries) =>
        prepareTriggers(queries, this.table, this.name, this.isOn),
      );
    } catch (error) {
      throw DatabaseStartError.from(error, this.database);
    }
    if (!this.isOn) return;
    await noteWriters(this.dataSource, this.table, this.name);
    // Computed early: changes before this cursor can be read while a later transaction is open.
    this.finalCursor().catch(() => undefined);
    this.cleaning = setInterval(() => void this.clean(), CLEAN_MS).unref();
  }

  stop(): void {
    clearInterval(this.cleaning);
    this.end.abort();
  }

  /** The cursor before the latest `count` changes. @throws ApiException 50300 while an open transaction keeps it unknown. */
  async latest(count = 0): Promise<bigint> {
    const [found] = await this.query<{ place: string }>(
      `SELECT CAST(min(cursor) AS TEXT) AS place
       FROM (SELECT cursor FROM ${this.name} WHERE cursor <= ? ORDER BY cursor DESC LIMIT ?) AS latest`,
      [await this.finalCursor(), count + 1],
    );
    return BigInt(found?.place ?? 0);
  }

  /** The cursor of the last change before a time, found by a binary search: an index on times would slow every write. */
  async before(time: Date): Promise<bigint> {
    let place = 0n;
    let [least, most] = [0n, await this.latest()];
    while (least < most) {
      const middle = (least + most + 1n) / 2n;
      const [found] = await this.query<{ place: string; at: string }>(
        `SELECT CAST(cursor AS TEXT) AS place, at FROM ${this.name} WHERE cursor <= ? ORDER BY cursor DESC LIMIT 1`,
        [middle],
      );
      if (found !== undefined && Date.parse(found.at) >= time.getTime()) most = BigInt(found.place) - 1n;
      else [least, place] = [middle, BigInt(found?.place ?? 0)];
    }
    return place;
  }

  /**
   * Reads the changes after a cursor, some at a time; 0 is before the oldest.
   *
   * @throws ApiException 41000 when the change with the cursor is not kept, 50300 as long as a transaction keeps the order open.
   */
  async *read(after: bigint, { upTo = INT64_MAX, wanted = Infinity } = {}): AsyncGenerator<Changes, void> {
    const final = await this.finalCursor();
    const end = upTo < final ? upTo : final;
    let place = after;
    for (let rest = wanted; rest > 0;) {
      const limit = Math.min(MOST_ROWS, rest);
      const { changes, bytes } = await this.readSome(place, end, limit);
      const count = changes.all.length;
      if (count > 0) yield changes;
      place = changes.last;
      rest = count === limit || bytes >= MOST_BYTES ? rest - count : 0;
    }
  }

  /** Counts the changes after a cursor, up to `most`. Without ORDER BY, PostgreSQL may read the whole table. */
  async count(after: bigint, most: number): Promise<number> {
    const [found] = await this.query<{ count: number }>(
      `SELECT count(*) AS count FROM (
         SELECT 1 FROM ${this.name} WHERE cursor > ? AND kind <> '${BEGINNING}' ORDER BY cursor LIMIT ?
       ) AS later`,
      [after, most],
    );
    return found?.count ?? 0;
  }

  /** The age of the first change after a cursor in seconds; 0 without one. */
  async secondsBehind(after: bigint): Promise<number> {
    const [next] = await this.query<{ at: string }>(
      `SELECT at FROM ${this.name} WHERE cursor > ? AND kind <> '${BEGINNING}' ORDER BY cursor LIMIT 1`,
      [after],
    );
    return next === undefined ? 0 : Math.max(0, Date.now() - Date.parse(next.at)) / 1000;
  }

  /** Seconds for which a transaction of PostgreSQL has been holding changes back; undefined on SQLite. */
  async secondsHeldBack(): Promise<number | undefined> {
    if (!this.table.isPostgres) return undefined;
    await this.finalCursor().catch(() => undefined);
    return this.heldSince === undefined ? 0 : (performance.now() - this.heldSince) / 1000;
  }

  /** Reads up to `limit` changes, and fewer when they are long: one has 200 KB at most, and many readers may be at it. */
  private async readSome(
    after: bigint,
    end: bigint,
    limit: number,
  ): Promise<{ changes: Changes; bytes: number }> {
    const { name, table } = this;
    const json = `'{"cursor":' || cursor || ',"at":"' || at || '","kind":"' || kind || '","${table.noun}":' || content || '}'`;
    const by = table.isPostgres ? `coalesce(CAST(to_json(writer) AS TEXT), 'null')` : 'json_quote(writer)';
    const wanted = `FROM ${name} WHERE cursor > ? AND cursor <= ? AND kind <> '${BEGINNING}' ORDER BY cursor`;
    const text = `
      SELECT string_agg(json, '${SEPARATOR}') AS text, string_agg(made_by, ',') AS writers, CAST(max(cursor) AS TEXT) AS last,
        coalesce(sum(bytes), 0) AS bytes, EXISTS (SELECT 1 FROM ${name} WHERE cursor = ?) AS iskept
      FROM (
        SELECT cursor, ${json} AS json, ${by} AS made_by, octet_length(content) AS bytes ${wanted} LIMIT (
          SELECT count(*) + 1 FROM (
            SELECT sum(bytes) OVER (ORDER BY cursor) AS total
            FROM (SELECT cursor, octet_length(content) AS bytes ${wanted} LIMIT ?) AS first
          ) AS totals WHERE total < ${MOST_BYTES}
        )
      ) AS found`;
    const places = [after, after, end, after, end, limit - 1];
    const [found] = await this.query<{
      text: string | null;
      writers: string | null;
      last: string | null;
      bytes: number;
      iskept: boolean;
    }>(text, places);
    if (after !== 0n && !found?.iskept) throw await this.notKept(after);
    const writers = JSON.parse(`[${found?.writers ?? ''}]`) as (string | null)[];
    const texts = found?.text?.split(SEPARATOR) ?? [];
    const all = texts.map((each, index) => ({ json: each, by: writers[index] ?? null }));
    return { changes: new Changes(all, BigInt(found?.last ?? after)), bytes: found?.bytes ?? 0 };
  }

  private async notKept(cursor: bigint): Promise<ApiException> {
    const [found] = await this.query<{ oldest: string }>(
      `SELECT CAST(min(cursor) AS TEXT) AS oldest FROM ${this.name}`,
      [],
    );
    return changeNotKept(
      `The change ${cursor} is not kept: the oldest is ${found?.oldest}. Read everything again.`,
    );
  }

  private async finalCursor(): Promise<bigint> {
    if (!this.table.isPostgres) return INT64_MAX;
    // Most transactions that are open now end in a moment.
    const patience = sleep(SETTLE_TIMEOUT_MS, undefined, { ref: false });
    // A check that is running may have started before the latest change, so another one follows it.
    await Promise.race([this.settling, patience]);
    this.settling ??= this.settle().finally(() => (this.settling = undefined));
    await Promise.race([this.settling, patience]);
    if (this.final === undefined)
      throw unavailable('A transaction that began before the service keeps the order of changes open.');
    return this.final;
  }

  /**
   * Reads the last cursor that was drawn, then which transactions are writing, and waits until all of them have ended.
   *
   * Only committed cursors are final: after a crash, PostgreSQL may draw the others again.
   */
  private async settle(): Promise<void> {
    const [{ last } = {}] = await this.query<{ last: number | bigint }>(
      `SELECT last_value AS last FROM ${this.name}_cursor_seq`,
      [],
    );
    if (last === undefined || last === this.settled) return;
    const since = (this.heldSince = performance.now());
    try {
      const writers = await this.openWriters();
      for (let open = writers; !writers.isDisjointFrom(open); open = await this.openWriters())
        await sleep(Math.min((performance.now() - since) / 8, MAX_LOCK_POLL_MS), undefined, { ref: false });
      const [{ committed } = {}] = await this.query<{ committed: number | bigint | null }>(
        `SELECT max(cursor) AS committed FROM ${this.name} WHERE cursor <= ?`,
        [last],
      );
      this.final = BigInt(committed ?? 0);
      this.settled = last;
    } finally {
      this.heldSince = undefined;
    }
  }

  /**
   * The ids of the transactions that hold a lock for writing to the table of changes. Each takes it before it draws a cursor, and
   * keeps it until its rows are visible. A prepared transaction keeps its id.
   */
  private async openWriters(): Promise<ReadonlySet<string>> {
    const writers = await this.query<{ id: string }>(
      `SELECT CAST(transactionid AS TEXT) AS id FROM (
         SELECT transactionid, mode, bool_or(relation = CAST(? AS regclass) AND mode = 'RowExclusiveLock')
           OVER (PARTITION BY virtualtransaction) AS writes
         FROM pg_locks
         WHERE granted AND coalesce(database, 0) IN (0, (SELECT oid FROM pg_database WHERE datname = current_database()))
       ) AS lock WHERE writes AND transactionid IS NOT NULL AND mode = 'ExclusiveLock'`,
      [this.name],
    );
    return new Set(writers.map(({ id }) => id));
  }

  /** Deletes old changes, a slice at a time. The newest old change stays: a reader at its cursor has missed nothing. */
  private async clean(): Promise<void> {
    const until = new Date(Date.now() - this.settings.kept).toISOString();
    const { signal } = this.end;
    const oldest = `SELECT cursor, at FROM ${this.name} ORDER BY cursor LIMIT ?`;
    const deletion = `DELETE FROM ${this.name}
      WHERE cursor < (SELECT max(cursor) FROM (${oldest}) AS oldest WHERE at < ?) RETURNING cursor`;
    try {
      while ((await this.query(deletion, [SLICE, until])).length === SLICE - 1)
        await sleep(PAUSE_MS, undefined, { signal });
    } catch (error) {
      if (!signal.aborted) ChangeFeed.logger.warn(error);
    }
  }

  private query<Result>(text: string, parameters: readonly (bigint | number | string)[]): Promise<Result[]> {
    return run<Result>(this.dataSource, { text, parameters: parameters.map(String) });
  }
}

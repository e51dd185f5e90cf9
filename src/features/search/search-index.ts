import { setTimeout as sleep } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Logger, type OnModuleInit } from '@nestjs/common';
import type { DataSource, ObjectLiteral } from 'typeorm';
import type { DatabaseSettings } from '../../kernel/config/settings.js';
import { createMigrationDataSource } from '../../kernel/database/data-source-options.js';
import { DatabaseStartError } from '../../kernel/database/database-start.error.js';
import type { ListSource, IndexScan } from '../../kernel/store/scans/index-scan.js';
import type { Queries } from '../../kernel/store/queries.js';
import type { Column, Table } from '../../kernel/store/table.js';
import { filterOf, searchCountStatement, searchStatements } from './search-statements.js';
import type { SearchSettings } from './search.settings.js';
import { textOf, wordsOf } from './words.js';

/** The parameter that a search adds to a list. */
export interface SearchQuery {
  readonly search?: string;
}

/** Rows that a statement adds to the index on SQLite. It blocks all requests for some milliseconds. */
const ROWS_AT_ONCE = 256;

const EVENTS = ['insert', 'update', 'delete'] as const;

/** Milliseconds between checks of an index that another instance builds, and before a build that failed is tried again. */
const PAUSE_MS = 1_000;

/**
 * The search index of a table. The setting `SEARCH` makes or removes it while requests are served.
 *
 * The database updates it with every write, which makes writes slower.
 */
export class SearchIndex<Row extends ObjectLiteral> implements OnModuleInit, BeforeApplicationShutdown {
  private static readonly logger = new Logger(SearchIndex.name);
  private readonly isOn: boolean;
  /** Whether the index has every row. */
  private isBuilt = false;
  private readonly columns: readonly Column[];
  /** Without quotes. */
  private readonly name: string;
  private readonly end = new AbortController();
  private work: Promise<void> | undefined;
  /** The schema of the operator class, which may not be in the path. */
  private schema = '';

  /** @param properties the text columns to search. */
  constructor(
    private readonly dataSource: DataSource,
    private readonly table: Table<Row>,
    properties: readonly string[],
    private readonly database: DatabaseSettings,
    { isOn }: SearchSettings,
  ) {
    if (table.key.type !== 'BIGINT')
      throw new Error(`${table.name} must have an int64 as its key to be searched.`);
    this.isOn = isOn;
    this.columns = properties.map((property) => table.column(property));
    this.name = `${table.name.replaceAll('"', '')}_search`;
  }

  /** Narrows a list to the rows that contain all words of a query: by the index if it can find these, else by a walk. */
  narrow(
    { order, isDescending, prefix, least, greatest, filter }: IndexScan,
    { search: text }: SearchQuery,
  ): Pick<IndexScan, 'filter' | 'source'> {
    if (text === undefined) return {};
    const { table, columns, name: index } = this;
    const search = { words: wordsOf(text), columns, index };
    const isByKey = order.length === 1 && order[0] === table.key.property && !isDescending;
    const isWhole = isByKey && (prefix ?? least ?? greatest ?? filter) === undefined;
    if (!this.isBuilt || !isWhole || !search.words.some(({ isIndexed }) => isIndexed))
      return { filter: filterOf(table, search) };
    const source: ListSource = {
      read: (after, equal, limit) => searchStatements(table, search, after, equal, limit),
      count: (equal) => searchCountStatement(table, search, equal),
    };
    return { source };
  }

  /** Makes the index in the background, or removes it. @throws DatabaseStartError when the database cannot have it. */
  async onModuleInit(): Promise<void> {
    if (this.table.isPostgres && this.isOn) await this.preparePostgres();
    this.work = this.build();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.end.abort();
    if (!this.table.isPostgres) await this.work;
  }

  private async build(): Promise<void> {
    const { signal } = this.end;
    for (let isDone = false; !isDone && !signal.aborted;) {
      try {
        isDone = await (this.table.isPostgres ? this.buildOnPostgres() : this.buildOnSqlite());
      } catch (error) {
        if (!signal.aborted) SearchIndex.logger.warn(error);
      }
      if (!isDone) await sleep(PAUSE_MS, undefined, { signal }).catch(() => undefined);
    }
    this.isBuilt = this.isOn && !signal.aborted;
    if (this.isBuilt) SearchIndex.logger.log(`The index ${this.name} is complete: searches use it.`);
  }

  private async preparePostgres(): Promise<void> {
    const [{ iscluster, knowsletters } = {}] = await this.dataSource.query<Record<string, boolean>[]>(
      `SELECT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus') AS isCluster, 'É' ILIKE 'é' AS knowsLetters`,
    );
    if (iscluster) throw new DatabaseStartError('SEARCH=on does not work on a Citus cluster.');
    if (!knowsletters)
      throw new DatabaseStartError(
        'SEARCH=on needs a database whose locale knows more letters than ASCII, such as C.UTF-8.',
      );
    await this.dataSource.query('CREATE EXTENSION IF NOT EXISTS pg_trgm').catch((cause: unknown) => {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new DatabaseStartError(`SEARCH=on needs the extension pg_trgm: ${reason}.`, { cause });
    });
    const [{ schema, isallowed } = { schema: '', isallowed: false }] = await this.dataSource.query<
      { schema: string; isallowed: boolean }[]
    >(
      `SELECT quote_ident(nspname) AS schema, has_schema_privilege(pg_namespace.oid, 'USAGE') AS isAllowed
       FROM pg_extension JOIN pg_namespace ON pg_namespace.oid = extnamespace WHERE extname = 'pg_trgm'`,
    );
    if (!isallowed)
      throw new DatabaseStartError(
        `SEARCH=on needs the extension pg_trgm, whose schema this role may not use: GRANT USAGE ON SCHEMA ${schema}.`,
      );
    this.schema = schema;
  }

  /** Builds or removes the index; returns whether that is done. PostgreSQL goes on building when this process ends. */
  private async buildOnPostgres(): Promise<boolean> {
    const { name, columns, isOn, database } = this;
    const dataSource = await createMigrationDataSource({ database }).initialize();
    const findIndex = async () => {
      const [found] = await dataSource.query<{ isvalid: boolean; isbeingbuilt: boolean }[]>(
        `SELECT indisvalid AS isValid, EXISTS (
           SELECT FROM pg_stat_progress_create_index WHERE index_relid = indexrelid
         ) AS isBeingBuilt
         FROM pg_index WHERE indexrelid = to_regclass($1) AND indrelid = to_regclass($2)`,
        [name, this.table.name],
      );
      return found;
    };
    try {
      const found = await findIndex();
      if (found?.isbeingbuilt) return false;
      if (isOn && found?.isvalid) return true;
      // An unfinished build has left an invalid index.
      if (found !== undefined) await dataSource.query(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
      if (!isOn) return found === undefined || this.removed();
      await dataSource.query(
        `CREATE INDEX CONCURRENTLY IF NOT EXISTS ${name} ON ${this.table.name} USING gin (${textOf(this.table, columns)} ${this.schema}.gin_trgm_ops)`,
      );
      return (await findIndex())?.isvalid ?? false;
    } finally {
      await dataSource.destroy();
    }
  }

  /**
   * Does the same as `buildOnPostgres()` on SQLite. The index gets its final name when it has all rows; until then, triggers
   * already update it.
   */
  private async buildOnSqlite(): Promise<boolean> {
    const { name, dataSource, isOn } = this;
    const unfinished = `${name}_unfinished`;
    const found = await dataSource.query<{ name: string }[]>(
      'SELECT name FROM sqlite_schema WHERE name IN (?, ?)',
      [name, unfinished],
    );
    if (isOn ? found.some((table) => table.name === name) : found.length === 0) return true;
    await dataSource.transaction(async (queries) => {
      const drop = EVENTS.map((event) => `TRIGGER IF EXISTS ${name}_${event}`);
      drop.push(`TABLE IF EXISTS ${name}`, `TABLE IF EXISTS ${unfinished}`);
      const create = isOn ? this.sqliteSchema(unfinished) : [];
      for (const statement of [...drop.map((old) => `DROP ${old}`), ...create])
        await queries.query(statement);
    });
    if (!isOn) return this.removed();
    for (let last: unknown; last !== null;) {
      if (this.end.signal.aborted) return false;
      last = await dataSource.transaction((queries) => this.addRows(queries, unfinished, last));
    }
    await dataSource.query(`ALTER TABLE ${unfinished} RENAME TO ${name}`);
    return true;
  }

  private removed(): true {
    SearchIndex.logger.log(`The index ${this.name} is removed: SEARCH is off.`);
    return true;
  }

  private sqliteSchema(index: string): string[] {
    const { table, columns, name } = this;
    const names = columns.map((column) => column.name).join();
    const values = [table.key, ...columns].map((column) => `new.${column.name}`).join();
    const remove = `DELETE FROM ${index} WHERE rowid = old.${table.key.name};`;
    const add = `INSERT INTO ${index} (rowid, ${names}) VALUES (${values});`;
    const actions = { insert: add, update: remove + add, delete: remove };
    return [
      `CREATE VIRTUAL TABLE ${index} USING fts5(${names}, content='', contentless_delete=1, tokenize='trigram')`,
      ...EVENTS.map(
        (event) =>
          `CREATE TRIGGER ${name}_${event} AFTER ${event} ON ${table.name} BEGIN ${actions[event]} END`,
      ),
    ];
  }

  /** Adds the next rows, and returns the key of the last one; null if there are no more. */
  private async addRows(queries: Queries, index: string, after: unknown): Promise<unknown> {
    const key = this.table.key.name;
    const names = this.columns.map((column) => column.name).join();
    const later = after === undefined ? '' : `WHERE ${key} > ?`;
    const rows = `SELECT ${key}, ${names} FROM ${this.table.name} ${later} ORDER BY ${key} LIMIT ${ROWS_AT_ONCE}`;
    const parameters = after === undefined ? [] : [after];
    await queries.query(`INSERT OR REPLACE INTO ${index} (rowid, ${names}) ${rows}`, parameters);
    const [{ last }] = (await queries.query(`SELECT max(${key}) AS last FROM (${rows})`, parameters)) as [
      { last: unknown },
    ];
    return last;
  }
}

import { existsSync } from 'node:fs';
import type BetterSqlite3 from 'better-sqlite3';
import { DataSource, type DataSourceOptions } from 'typeorm';
import * as migrations from '../../migrations/index.js';
import type { PostgresSettings, Settings, SqliteSettings } from '../config/settings.js';
import { PostgresClient } from './postgres-client.js';
import { SqliteDataSource } from './sqlite/sqlite-data-source.js';

/** Milliseconds that the server has to report its own timeout, before the client takes it for dead. */
const SERVER_MARGIN_MS = 1_000;

/** Milliseconds that a start waits for a process that writes to the SQLite file: nobody is served yet, so nobody is held up. */
const START_LOCK_TIMEOUT_MS = 1_000;

/** Statements are short, and compiling one takes longer than any of them. */
const SESSION = '-c jit=off';

/** What every database has in common. */
const SHARED = {
  migrations,
  // What fails is reported where it was asked for; TypeORM would write it to the console, with its parameters.
  logging: false,
  logger: 'debug' as const,
} satisfies Partial<DataSourceOptions>;

/** How TypeORM opens the database: the only place that says so, for the service, the command line and the migrations. */
export function dataSourceOptions({ database }: Pick<Settings, 'database'>): DataSourceOptions {
  return database.type === 'postgres' ? postgresOptions(database) : sqliteOptions(database);
}

/** The data source of either database; transactions on it are separate, and integers are exact. */
export function createDataSource(
  { database }: Pick<Settings, 'database'>,
  options: DataSourceOptions = dataSourceOptions({ database }),
): DataSource {
  if (options.type !== 'better-sqlite3') return new DataSource(options);
  return new SqliteDataSource(options, {
    turn: database.statementTimeout,
    idle: database.idleInTransactionTimeout,
  });
}

/** The same for changing the schema, which may wait for other instances and take longer than any statement of theirs. */
export function migrationOptions({ database }: Pick<Settings, 'database'>): DataSourceOptions {
  return database.type === 'postgres'
    ? postgresOptions({ ...database, statementTimeout: 0 })
    : sqliteOptions({ ...database, lockTimeout: Math.max(database.lockTimeout, START_LOCK_TIMEOUT_MS) });
}

/** The same for looking at a database as it is: nothing is made, changed or switched to another mode. */
export function examinationOptions({ database }: Pick<Settings, 'database'>): DataSourceOptions {
  if (database.type === 'postgres')
    return postgresOptions(database, `${SESSION} -c default_transaction_read_only=on`);
  // Read-only, SQLite leaves companion files behind where there are none; otherwise, it takes in the log that a crash has left.
  const readonly = existsSync(`${database.path}-wal`);
  return { ...sqliteOptions(database), readonly, fileMustExist: true, prepareDatabase: refuseWrites };
}

function sqliteOptions({ path, lockTimeout }: SqliteSettings) {
  return {
    ...SHARED,
    type: 'better-sqlite3',
    database: path,
    timeout: lockTimeout,
    prepareDatabase: prepare,
  } as const;
}

function postgresOptions(settings: PostgresSettings, session = SESSION): DataSourceOptions {
  const { statementTimeout } = settings;
  return {
    ...SHARED,
    type: 'postgres',
    poolSize: settings.poolSize,
    connectTimeoutMS: settings.connectTimeout,
    applicationName: 'plant-store',
    // Idle connections that a server closes are replaced; there is nothing to say about them.
    poolErrorHandler: () => undefined,
    installExtensions: false,
    extra: {
      Client: PostgresClient,
      connectionString: withVerifiedTls(settings.url),
      keepAlive: true,
      options: session,
      statement_timeout: statementTimeout,
      // The server keeps the limit itself. A server that is paused or cut off cannot.
      query_timeout: statementTimeout && statementTimeout + SERVER_MARGIN_MS,
      idle_in_transaction_session_timeout: settings.idleInTransactionTimeout,
    },
  };
}

/** `require` and `verify-ca` mean the strict mode here; the driver warns of them, because its next version will be lax. */
function withVerifiedTls(url: string): string {
  return url.replace(/([?&]sslmode=)(require|verify-ca)(?=&|$)/, '$1verify-full');
}

function prepare(connection: BetterSqlite3.Database): void {
  // Readers never wait for the writer, and a commit appends to one file instead of rewriting pages in place.
  connection.pragma('journal_mode = WAL');
  // A commit returns after fsync: what was acknowledged survives a crash of the process, the system and the power.
  connection.pragma('synchronous = FULL');
  // SQLite leaves them alone otherwise.
  connection.pragma('foreign_keys = ON');
}

function refuseWrites(connection: BetterSqlite3.Database): void {
  connection.pragma('query_only = ON');
}

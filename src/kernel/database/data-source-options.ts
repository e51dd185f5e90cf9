import type BetterSqlite3 from 'better-sqlite3';
import type { DataSource, DataSourceOptions } from 'typeorm';
import * as migrations from '../../../migrations/index.js';
import type { PostgresSettings, Settings, SqliteSettings } from '../config/settings.js';
import { POSTGRES, PostgresClient, Servers } from './postgres/postgres-client.js';
import { SqliteDataSource } from './sqlite/sqlite-data-source.js';
import { StoreDataSource } from './store-data-source.js';
import './typeorm-bigint.js';

/** Milliseconds that the client waits after the server should have reported its own timeout. */
const SERVER_MARGIN_MS = 1_000;

/** Milliseconds that a start waits for the lock of a SQLite file: no request waits yet. */
const START_LOCK_TIMEOUT_MS = 1_000;

/** The longest timer of Node.js, in milliseconds. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

/** No JIT: statements are short, and compiling one takes longer than running it. */
const SESSION = '-c jit=off';

const SHARED = {
  migrations,
  // TypeORM would log failed statements to the console, with their parameters.
  logging: false,
  logger: 'debug' as const,
} satisfies Partial<DataSourceOptions>;

/** How TypeORM opens the database. */
export function dataSourceOptions({ database }: Pick<Settings, 'database'>): DataSourceOptions {
  return database.type === 'postgres' ? postgresOptions(database) : sqliteOptions(database);
}

/** A data source with separate transactions and exact integers on either database. */
export function createDataSource(
  { database }: Pick<Settings, 'database'>,
  options: DataSourceOptions = dataSourceOptions({ database }),
): StoreDataSource {
  return options.type === 'better-sqlite3'
    ? new SqliteDataSource(options, database)
    : new StoreDataSource(options);
}

/** A data source for migrations, whose statements have no timeout. */
export function createMigrationDataSource({ database }: Pick<Settings, 'database'>): DataSource {
  const changed =
    database.type === 'postgres'
      ? { ...database, statementTimeout: 0 }
      : {
          ...database,
          lockTimeout: Math.max(database.lockTimeout, START_LOCK_TIMEOUT_MS),
          transactionTimeout: LONGEST_TIMEOUT_MS,
        };
  return createDataSource({ database: changed });
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

export function postgresOptions(settings: PostgresSettings) {
  const { statementTimeout } = settings;
  return {
    ...SHARED,
    type: 'postgres',
    driver: POSTGRES,
    poolSize: settings.poolSize,
    connectTimeoutMS: settings.connectTimeout,
    applicationName: 'plant-store',
    // The pool replaces idle connections that the server closes.
    poolErrorHandler: () => undefined,
    installExtensions: false,
    extra: {
      Client: PostgresClient,
      servers: new Servers(settings.urls.map(withVerifiedTls)),
      keepAlive: true,
      options: SESSION,
      statement_timeout: statementTimeout,
      // Notices a server that is paused or cut off.
      query_timeout: statementTimeout && statementTimeout + SERVER_MARGIN_MS,
      idle_in_transaction_session_timeout: settings.idleInTransactionTimeout,
    },
  } as const;
}

/** The driver treats `require` and `verify-ca` as `verify-full`, and warns that its next version will not. */
function withVerifiedTls(url: string): string {
  return url.replace(/([?&]sslmode=)(require|verify-ca)(?=&|$)/, '$1verify-full');
}

function prepare(connection: BetterSqlite3.Database): void {
  // With a write-ahead log, readers never wait for the writer, and a commit appends to one file.
  connection.pragma('journal_mode = WAL');
  // A commit returns after fsync: acknowledged writes survive a crash of the process, of the system and a power failure.
  connection.pragma('synchronous = FULL');
  connection.pragma('foreign_keys = ON');
}

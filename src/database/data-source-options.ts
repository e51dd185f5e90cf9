import type BetterSqlite3 from 'better-sqlite3';
import type { DataSourceOptions } from 'typeorm';
import { migrations } from '../../migrations/index.js';
import { AccessToken } from '../auth/access-token.entity.js';
import type { Settings } from '../config/settings.js';
import { Plant } from '../plants/plant.entity.js';

/**
 * How long SQLite waits for a lock that another process holds, in milliseconds: as long as a write of the command line
 * takes. The wait blocks the whole event loop, so it is short, and a write that still finds the lock taken is answered 503.
 */
const BUSY_TIMEOUT_MS = 50;

/** How TypeORM opens the database: the only place that says so, for the service, the command line and the migrations. */
export function dataSourceOptions({ database }: Pick<Settings, 'database'>): DataSourceOptions {
  return {
    type: 'better-sqlite3',
    database: database.path,
    timeout: BUSY_TIMEOUT_MS,
    prepareDatabase: setPragmas,
    entities: [Plant, AccessToken],
    migrations,
    // A migration is either there as a whole or not at all.
    migrationsTransactionMode: 'each',
    // What fails is reported where it was asked for; TypeORM would write it to the console, with its parameters.
    logging: false,
    logger: 'debug',
  };
}

function setPragmas(connection: BetterSqlite3.Database): void {
  // Readers never wait for the writer, and a commit appends to one file instead of rewriting pages in place.
  connection.pragma('journal_mode = WAL');
  // A commit returns after fsync: what was acknowledged survives a crash of the process, the system and the power.
  connection.pragma('synchronous = FULL');
}

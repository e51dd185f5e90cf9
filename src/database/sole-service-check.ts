import { Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import Database from 'better-sqlite3';
import { Settings } from '../config/settings.js';

/** Milliseconds for which the command line may hold the lock, to see whether there is a service. */
const PROBE_MS = 50;

/**
 * Warns at start of another service on the same SQLite file.
 *
 * Each service locks a file beside the database, as SQLite locks its own: the system unlocks it however the process ends. It
 * is not the database that is locked, so that the command line can work on that. Nobody is refused: nothing is lost by two
 * services, and during a rolling update there are two.
 */
@Injectable()
export class SoleServiceCheck implements OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger(SoleServiceCheck.name);
  private lock: Database.Database | undefined;
  /** Whether this service has the lock. */
  isSole = false;

  constructor(private readonly settings: Settings) {}

  /** Whether a service runs on a database file; asking locks nothing for longer than a moment. */
  static isServed(path: string): boolean {
    let lock: Database.Database | undefined;
    try {
      lock = new Database(lockOf(path), { readonly: true, fileMustExist: true, timeout: 0 });
      lock.pragma('schema_version');
      return false;
    } catch (error) {
      return isBusy(error);
    } finally {
      lock?.close();
    }
  }

  /** Before `WalMarks` looks at the file, which another service may mark until then. */
  onModuleInit(): void {
    const { database } = this.settings;
    if (database.type !== 'sqlite') return;
    try {
      this.lock = new Database(lockOf(database.path), { timeout: PROBE_MS });
      // Without a journal on disk there is nothing to clean up after.
      this.lock.pragma('journal_mode = MEMORY');
      this.lock.exec('BEGIN EXCLUSIVE');
      this.isSole = true;
    } catch (error) {
      // A lock that cannot be had for another reason says nothing of other services, and is no reason not to start.
      if (!isBusy(error)) return;
      this.logger.warn(
        `Another service uses ${database.path}, too: they block each other, and writes may fail with 503. Several instances need PostgreSQL.`,
      );
    }
  }

  onApplicationShutdown(): void {
    this.lock?.close();
  }
}

function lockOf(path: string): string {
  return `${path}-lock`;
}

function isBusy(error: unknown): boolean {
  return error instanceof Database.SqliteError && error.code === 'SQLITE_BUSY';
}

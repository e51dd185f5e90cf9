import { existsSync } from 'node:fs';
import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import Database from 'better-sqlite3';
import { Settings } from '../config/settings.js';

/**
 * Warns at start of another service on the same SQLite file.
 *
 * Each service locks a file beside the database, as SQLite locks its own: the system unlocks it however the process ends. It
 * is not the database that is locked, so that the command line can work on that. Nobody is refused: nothing is lost by two
 * services, and during a rolling update there are two.
 */
@Injectable()
export class SoleServiceCheck implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger(SoleServiceCheck.name);
  private lock: Database.Database | undefined;

  constructor(private readonly settings: Settings) {}

  /** Whether a service runs on a database file; asking locks nothing. */
  static isServed(path: string): boolean {
    if (!existsSync(lockOf(path))) return false;
    const lock = new Database(lockOf(path), { readonly: true, timeout: 0 });
    try {
      lock.pragma('schema_version');
      return false;
    } catch (error) {
      if (isBusy(error)) return true;
      throw error;
    } finally {
      lock.close();
    }
  }

  onApplicationBootstrap(): void {
    const { database } = this.settings;
    if (database.type !== 'sqlite') return;
    try {
      this.lock = new Database(lockOf(database.path), { timeout: 0 });
      // Without a journal on disk there is nothing to clean up after.
      this.lock.pragma('journal_mode = MEMORY');
      this.lock.exec('BEGIN EXCLUSIVE');
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

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

  onApplicationBootstrap(): void {
    const { database } = this.settings;
    if (database.type !== 'sqlite') return;
    try {
      this.lock = new Database(`${database.path}-lock`, { timeout: 0 });
      // Without a journal on disk there is nothing to clean up after.
      this.lock.pragma('journal_mode = MEMORY');
      this.lock.exec('BEGIN EXCLUSIVE');
    } catch (error) {
      // A lock that cannot be had for another reason says nothing of other services, and is no reason not to start.
      if (!(error instanceof Database.SqliteError && error.code === 'SQLITE_BUSY')) return;
      this.logger.warn(
        `Another service uses ${database.path}, too: they block each other, and writes may fail with 503. Several instances need PostgreSQL.`,
      );
    }
  }

  onApplicationShutdown(): void {
    this.lock?.close();
  }
}

import { Logger } from '@nestjs/common';
import Database from 'better-sqlite3';
import { QueryFailedError } from 'typeorm';
import { identityOf, startsAsLog } from './store-file.js';

/** Milliseconds between two checks that the files have not been moved. */
const CHECK_EVERY_MS = 1_000;

/** Notices that a store in use has been moved or damaged, before more is lost. */
export class StoreGuard {
  private static readonly logger = new Logger(StoreGuard.name);
  /** Why the file is corrupt, as SQLite says. Writes are then refused, because they could damage it further. */
  corruption: Error | undefined;
  /** Why the files are not in their place. Statements are then refused, because their writes would be lost. */
  displacement: Error | undefined;
  private identities = '';
  private isBlind = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly path: string) {}

  /**
   * Checks from now on that the store has not been moved.
   *
   * @param before the identity of the file before it was opened.
   * @throws Error if another file has replaced it since then.
   */
  begin(connection: Database.Database, before: string | undefined): void {
    if (before !== undefined && identityOf(this.path) !== before) throw moved('The file was replaced.');
    // The first read opens the log.
    connection.pragma('schema_version');
    this.identities = this.identitiesNow();
    this.timer = setInterval(() => this.check(), CHECK_EVERY_MS).unref();
  }

  end(): void {
    clearInterval(this.timer);
  }

  /** Remembers corruption if an error reports it. */
  examine(error: unknown): void {
    const cause: unknown = error instanceof QueryFailedError ? error.driverError : error;
    if (this.corruption !== undefined || !(cause instanceof Database.SqliteError)) return;
    if (!/^SQLITE_(CORRUPT|NOTADB)/.test(cause.code)) return;
    this.corruption = cause;
    StoreGuard.logger.error(
      `The database is corrupt, and refuses writes: ${cause.message}. See docs/troubleshooting.md.`,
    );
  }

  private check(): void {
    let isInPlace: boolean;
    try {
      isInPlace = this.identitiesNow() === this.identities && startsAsLog(`${this.path}-wal`);
    } catch (error) {
      // Other errors, such as too many open files, do not mean that the store has been moved.
      if (!this.isBlind) StoreGuard.logger.warn(`The store cannot be checked: ${String(error)}`);
      this.isBlind = true;
      return;
    }
    this.isBlind = false;
    if (isInPlace) this.displacement = undefined;
    else if (this.displacement === undefined) {
      const reason = `The file ${this.path} or its log was moved, removed, replaced or emptied.`;
      this.displacement = moved(reason);
      StoreGuard.logger.error(
        `${reason} Put it back; see docs/troubleshooting.md before you stop the service.`,
      );
    }
  }

  private identitiesNow(): string {
    return [this.path, `${this.path}-wal`].map(identityOf).join();
  }
}

function moved(message: string): Error {
  return Object.assign(new Error(message), { code: 'SQLITE_READONLY_DBMOVED' });
}

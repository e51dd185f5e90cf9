import { Logger } from '@nestjs/common';
import Database from 'better-sqlite3';
import { QueryFailedError } from 'typeorm';
import { identityOf, startsAsLog } from './store-file.js';

/** Milliseconds between two looks at whether the files are still in their place. */
const LOOK_MS = 1_000;

/** Notices when somebody moves or damages a store that this process writes to, before more is lost. */
export class StoreGuard {
  private static readonly logger = new Logger(StoreGuard.name);
  /** SQLite has found the file corrupt. Writes are refused then, because they could damage it further. */
  corruption: Error | undefined;
  /** The files are not in their place. Statements are refused then, because what they write would be lost. */
  displacement: Error | undefined;
  private identities = '';
  private isBlind = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly path: string) {}

  /**
   * Looks from now on whether the store is still in its place.
   *
   * @param before which file it was before anything was read of it.
   * @throws Error if another one has its place since then.
   */
  begin(connection: Database.Database, before: string | undefined): void {
    if (before !== undefined && identityOf(this.path) !== before) throw moved('The file was replaced.');
    // The first read opens the log.
    connection.pragma('schema_version');
    this.identities = this.identitiesNow();
    this.timer = setInterval(() => this.look(), LOOK_MS).unref();
  }

  end(): void {
    clearInterval(this.timer);
  }

  /** Looks whether a statement failed because the file is corrupt. */
  examine(error: unknown): void {
    const cause: unknown = error instanceof QueryFailedError ? error.driverError : error;
    if (this.corruption !== undefined || !(cause instanceof Database.SqliteError)) return;
    if (!/^SQLITE_(CORRUPT|NOTADB)/.test(cause.code)) return;
    this.corruption = cause;
    StoreGuard.logger.error(
      `The database is corrupt, and refuses writes: ${cause.message}. See docs/troubleshooting.md.`,
    );
  }

  private look(): void {
    let isInPlace: boolean;
    try {
      isInPlace = this.identitiesNow() === this.identities && startsAsLog(`${this.path}-wal`);
    } catch (error) {
      // Such as too many open files: it does not mean that the store has moved.
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

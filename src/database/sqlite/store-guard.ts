import { Logger } from '@nestjs/common';
import Database from 'better-sqlite3';
import { QueryFailedError } from 'typeorm';
import { identityOf, IN_USE, startsAsLog } from './store-file.js';

/** Milliseconds between two looks at whether the files are still in their place. */
const LOOK_MS = 1_000;

/** The guards of this process. */
const guards = new Set<StoreGuard>();

// A process that ends without closing its stores has its driver close them, which merges the log.
process.on('exit', () => {
  for (const guard of guards) guard.end();
});

/** Keeps a store whole while this process writes to it, and nobody's writes from being lost when somebody moves or damages it. */
export class StoreGuard {
  private static readonly logger = new Logger(StoreGuard.name);
  /** SQLite has found the file corrupt. Writes are refused then, because they could damage it further. */
  corruption: Error | undefined;
  /** The files are not in their place. Statements are refused then, because what they write would be lost. */
  displacement: Error | undefined;
  private connection: Database.Database | undefined;
  /** `PRAGMA user_version` as it was before. */
  private formerVersion = 0;
  private identities = '';
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly path: string) {}

  /**
   * Marks the store as in use, and looks from now on whether it is still in its place.
   *
   * @param before which file it was before anything was read of it.
   * @throws Error if another one has its place since then.
   */
  begin(connection: Database.Database, before: string | undefined): void {
    if (before !== undefined && identityOf(this.path) !== before) throw moved('The file was replaced.');
    this.connection = connection;
    this.formerVersion = connection.pragma('user_version', { simple: true }) as number;
    connection.pragma(`user_version = ${IN_USE}`);
    // Into the file itself, where it is also found without the log.
    connection.pragma('wal_checkpoint');
    this.identities = this.identitiesNow();
    this.timer = setInterval(() => this.look(), LOOK_MS).unref();
    guards.add(this);
  }

  /** Merges the log into the file. The mark goes before the log, so that a file without both is always whole. */
  end(): void {
    clearInterval(this.timer);
    guards.delete(this);
    if (this.connection === undefined || this.corruption !== undefined || !this.look()) return;
    try {
      this.connection.pragma('busy_timeout = 0');
      this.connection.pragma('user_version = 0');
      this.connection.pragma('journal_mode = DELETE');
    } catch {
      // Another process uses the store, and the log stays.
      this.connection.pragma(`user_version = ${this.formerVersion}`);
    }
  }

  /** Looks whether a statement failed because the file is corrupt. */
  examine(error: unknown): void {
    const cause: unknown = error instanceof QueryFailedError ? error.driverError : error;
    if (this.corruption !== undefined || !(cause instanceof Database.SqliteError)) return;
    if (!/^SQLITE_(CORRUPT|NOTADB)/.test(cause.code)) return;
    this.corruption = cause;
    StoreGuard.logger.error(
      `The database is corrupt, and refuses writes: ${cause.message}. See docs/operations.md.`,
    );
  }

  private look(): boolean {
    const isInPlace = this.identitiesNow() === this.identities;
    if (isInPlace) this.displacement = undefined;
    else if (this.displacement === undefined) {
      const reason = `The file ${this.path} or its log was moved, removed, replaced or emptied.`;
      this.displacement = moved(reason);
      StoreGuard.logger.error(`${reason} Put it back; see docs/operations.md before you stop the service.`);
    }
    return isInPlace;
  }

  private identitiesNow(): string {
    const log = `${this.path}-wal`;
    // A log that is emptied under the service has no beginning any more, whatever is written behind it.
    return [identityOf(this.path), identityOf(log), startsAsLog(log)].join();
  }
}

function moved(message: string): Error {
  return Object.assign(new Error(message), { code: 'SQLITE_READONLY_DBMOVED' });
}

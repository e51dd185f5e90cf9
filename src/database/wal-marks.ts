import { randomInt } from 'node:crypto';
import {
  closeSync,
  constants,
  existsSync,
  openSync,
  readSync,
  realpathSync,
  rmSync,
  statSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Settings } from '../config/settings.js';
import { DatabaseStartError } from './database-start.error.js';
import { SoleServiceCheck } from './sole-service-check.js';

const INTERVAL_MS = 1_000;

/** Where the header of a database file has what is looked at here (https://www.sqlite.org/fileformat2.html#the_database_header). */
const HEADER = { length: 100, writeVersion: 18, schema: 40, userVersion: 60 };
/** Such a file is read and written with a log. */
const WITH_LOG = 2;

/** The header of a log: its last 16 bytes are two salts, which are others whenever the log begins anew, and checksums. */
const LOG_HEADER = { length: 32, salts: 16 };

/** What the file of marks consists of: the schema version and two marks, 4 bytes each. */
const MARKS = { length: 12, schema: 0, current: 4, next: 8 };
const MOST = 2 ** 31;

/**
 * Refuses a SQLite file that was put in the place of another one whose write-ahead log is still there.
 *
 * SQLite replays whatever log it finds, and would overwrite parts of the new file with parts of the old one. So the service gives
 * its file another mark whenever the log has begun anew, in the `user_version` of its header, and writes down beside it which
 * marks the file may have. A copy that was made earlier has an earlier mark. Finished copies (of `plant-store backup` and
 * `VACUUM INTO`) are files without a log, and those of SQLite's `.backup` count their schema from 1.
 */
@Injectable()
export class WalMarks implements OnApplicationBootstrap, OnModuleDestroy {
  /** As it was when the last mark was set, or at the start. */
  private last: State = { schema: 0, mark: 0, salts: '' };
  private timer: NodeJS.Timeout | undefined;
  private renewal: Promise<void> | undefined;

  constructor(
    private readonly settings: Settings,
    private readonly dataSource: DataSource,
    private readonly soleService: SoleServiceCheck,
  ) {}

  /**
   * Has to come before anything opens the file.
   *
   * @throws DatabaseStartError when the log beside the file belongs to another one.
   */
  static refuseForeignLog(path: string): void {
    // Nobody replays a log that a service is using. To read the file here would also end the locks that SQLite has on it, if
    // that service is a part of this process (https://www.sqlite.org/howtocorrupt.html#_posix_advisory_locks_canceled).
    if (!existsSync(path) || SoleServiceCheck.isServed(path)) return;
    const file = realpathSync(path);
    // The marks first: they never lag behind the file.
    const marks = readStart(marksOf(file), MARKS.length);
    const header = readStart(file, HEADER.length);
    if (header.length < HEADER.length || isMarked(header, marks)) return;
    if (hasFrames(file)) {
      throw new DatabaseStartError(
        `The database file ${file} was replaced, and ${file}-wal belongs to the file before it. ` +
          `Move ${file} elsewhere, and restore it from there with: plant-store restore <file>.`,
      );
    }
    rmSync(marksOf(file), { force: true });
  }

  async onApplicationBootstrap(): Promise<void> {
    const { database } = this.settings;
    if (database.type !== 'sqlite') return;
    const path = realpathSync(database.path);
    this.last = await this.look(path);
    this.timer = setInterval(() => this.renew(path), INTERVAL_MS).unref();
  }

  async onModuleDestroy(): Promise<void> {
    clearInterval(this.timer);
    await this.renewal;
  }

  /** Does nothing as long as nothing is written. */
  private renew(path: string): void {
    if (!this.soleService.isSole || this.renewal !== undefined) return;
    const salts = saltsOf(path);
    if (salts === '' || salts === this.last.salts) return;
    // What fails now, such as a write to a full disk, is tried again with the next interval.
    this.renewal = this.mark(path)
      .catch(() => undefined)
      .finally(() => (this.renewal = undefined));
  }

  /** The log has begun anew, so what was committed until the last mark was set is in the file itself. */
  private async mark(path: string): Promise<void> {
    const next = randomInt(1, MOST);
    const marks = Buffer.alloc(MARKS.length);
    marks.writeUInt32BE(this.last.schema, MARKS.schema);
    marks.writeUInt32BE(this.last.mark, MARKS.current);
    marks.writeUInt32BE(next, MARKS.next);
    const file = await open(marksOf(path), constants.O_WRONLY | constants.O_CREAT, 0o600);
    try {
      // A single sector, which is written as a whole; on disk before the database file can have the mark.
      await file.write(marks, 0, marks.length, 0);
      await file.sync();
    } finally {
      await file.close();
    }
    await this.dataSource.query(`PRAGMA user_version = ${next}`);
    this.last = await this.look(path);
  }

  private async look(path: string): Promise<State> {
    const [{ schema, mark } = { schema: 0, mark: 0 }] = await this.dataSource.query<
      { schema: number; mark: number }[]
    >(
      'SELECT schema_version AS schema, user_version AS mark FROM pragma_schema_version, pragma_user_version',
    );
    // Last: what was read is in this log, or in one before it.
    return { schema, mark, salts: saltsOf(path) };
  }
}

interface State {
  readonly schema: number;
  readonly mark: number;
  readonly salts: string;
}

function isMarked(header: Buffer, marks: Buffer): boolean {
  if (header[HEADER.writeVersion] !== WITH_LOG) return false;
  if (marks.length < MARKS.length) return true;
  const mark = header.readUInt32BE(HEADER.userVersion);
  return (
    (mark === marks.readUInt32BE(MARKS.current) || mark === marks.readUInt32BE(MARKS.next)) &&
    header.readUInt32BE(HEADER.schema) >= marks.readUInt32BE(MARKS.schema)
  );
}

function marksOf(path: string): string {
  return `${path}-marks`;
}

function hasFrames(path: string): boolean {
  return (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > LOG_HEADER.length;
}

/** The salts of the log; empty when there is none. SQLite has no locks on it. */
function saltsOf(path: string): string {
  return readStart(`${path}-wal`, LOG_HEADER.length).toString('latin1', LOG_HEADER.salts);
}

/** The first bytes of a file; fewer when it is shorter, none when it cannot be read, for which SQLite has the reason. */
function readStart(path: string, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  let file: number | undefined;
  try {
    file = openSync(path, 'r');
    return bytes.subarray(0, readSync(file, bytes, 0, length, 0));
  } catch {
    return Buffer.alloc(0);
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

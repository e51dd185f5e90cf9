import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { type BackupSettings, Settings } from '../config/settings.js';
import type { Backup } from './back-up.js';

/** A backup that the service has made. */
export interface CompletedBackup {
  /** The moment that it shows. */
  readonly time: Date;
  readonly bytes: number;
  /** How long it took; undefined when another run of the service has made it. */
  readonly durationMs: number | undefined;
}

const run = promisify(execFile);
const PROCESS = fileURLToPath(new URL('./backup-process.js', import.meta.url));
const FINISHED = /^plant-store-(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)Z\.db$/;
/** What a backup leaves behind that was killed. */
const UNFINISHED = /^plant-store-[\dTZ-]+\.db\.\d+\.partial/;

/** Until a backup that has failed is tried again, unless the next one is due sooner. */
const RETRY_MS = 600_000;
/** A backup that takes longer is given up: as long as it reads, the log of the store grows. */
const TIMEOUT_MS = 3_600_000;
/** Timers run no longer than 24 days, and do not follow a clock that is set. */
const LONGEST_WAIT_MS = 3_600_000;

/**
 * Backs the SQLite store up into a folder at regular intervals, and keeps the newest copies.
 *
 * Another process copies and checks, with a low priority: the driver of SQLite would block the event loop meanwhile.
 */
@Injectable()
export class ScheduledBackups implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger(ScheduledBackups.name);
  private readonly stop = new AbortController();
  private newest: CompletedBackup | undefined;

  constructor(private readonly settings: Settings) {}

  /** The newest backup in the folder; undefined when there is none, or when the service makes none. */
  get latest(): CompletedBackup | undefined {
    return this.newest;
  }

  onApplicationBootstrap(): void {
    const { backup, database } = this.settings;
    if (backup === undefined || database.type !== 'sqlite') return;
    // Ends when the service stops.
    void this.repeat(database.path, backup).catch(() => undefined);
  }

  onModuleDestroy(): void {
    this.stop.abort();
  }

  private async repeat(path: string, backup: BackupSettings): Promise<void> {
    this.newest = newestIn(backup.folder);
    for (;;) {
      await this.untilDue(backup.interval);
      if (!(await this.attempt(path, backup))) await this.sleep(Math.min(backup.interval, RETRY_MS));
    }
  }

  private async untilDue(interval: number): Promise<void> {
    for (;;) {
      const since = this.newest === undefined ? interval : Date.now() - this.newest.time.getTime();
      // A backup of the future is from a clock that was wrong.
      const left = Math.min(interval - since, interval);
      if (left <= 0) return;
      await this.sleep(Math.min(left, LONGEST_WAIT_MS));
    }
  }

  private async sleep(milliseconds: number): Promise<void> {
    await sleep(milliseconds, undefined, { signal: this.stop.signal, ref: false });
  }

  /** Returns whether it has succeeded. */
  private async attempt(path: string, { folder, keep }: BackupSettings): Promise<boolean> {
    const time = new Date();
    const file = join(folder, nameOf(time));
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      remove(folder, namesIn(folder, UNFINISHED));
      const { stdout } = await run(process.execPath, [PROCESS, path, file], {
        signal: this.stop.signal,
        timeout: TIMEOUT_MS,
        killSignal: 'SIGKILL',
      });
      const { bytes, sha256 } = JSON.parse(stdout) as Backup;
      this.newest = { time, bytes, durationMs: Date.now() - time.getTime() };
      this.logger.log(`Backed up to ${file} (${bytes} bytes, SHA-256 ${sha256}).`);
      remove(folder, namesIn(folder, FINISHED).slice(0, -keep));
      return true;
    } catch (error) {
      this.stop.signal.throwIfAborted();
      this.logger.error(`The backup to ${file} has failed: ${reasonOf(error)}`);
      return false;
    }
  }
}

/** Sorted by time. */
function namesIn(folder: string, pattern: RegExp): string[] {
  return existsSync(folder)
    ? readdirSync(folder)
        .filter((name) => pattern.test(name))
        .toSorted()
    : [];
}

function remove(folder: string, names: readonly string[]): void {
  for (const name of names) rmSync(join(folder, name), { force: true });
}

function newestIn(folder: string): CompletedBackup | undefined {
  const name = namesIn(folder, FINISHED).at(-1);
  if (name === undefined) return undefined;
  const time = new Date(name.replace(FINISHED, '$1T$2:$3:$4Z'));
  return { time, bytes: statSync(join(folder, name)).size, durationMs: undefined };
}

function nameOf(time: Date): string {
  return `plant-store-${time.toISOString().slice(0, 19).replaceAll(':', '-')}Z.db`;
}

function reasonOf(error: unknown): string {
  const { killed, stderr, message } = error as { killed?: boolean; stderr?: string; message: string };
  return killed ? `it took longer than ${TIMEOUT_MS / 60_000} minutes.` : stderr || message;
}

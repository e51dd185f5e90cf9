import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import {
  Injectable,
  Logger,
  Module,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { Gauge, type Reading } from '../../kernel/logging/gauge.decorator.js';
import { Settings } from '../../kernel/config/settings.js';
import { addBackupCommands } from './backup-commands.js';
import { BackupSettings } from './backups.settings.js';

const run = promisify(execFile);
const COMMAND = fileURLToPath(new URL('../../kernel/cli/plant-store.js', import.meta.url));
const FINISHED = /^plant-store-(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)Z\.db$/;
/** The partial file of a backup that was killed. */
const UNFINISHED = /^plant-store-[\dTZ-]+\.db\.\d+\.partial/;

/** Milliseconds between checks whether a backup is due, and so between attempts. */
const CHECK_EVERY_MS = 600_000;
/** Milliseconds that a backup may take: while it reads, the log of the store grows. */
const BACKUP_TIMEOUT_MS = 3_600_000;

/**
 * Backs up the SQLite store to a folder at regular intervals, and keeps the newest copies.
 *
 * Runs `plant-store backup` in a separate process: here, the SQLite driver would block the event loop.
 */
@Injectable()
export class ScheduledBackups implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger(ScheduledBackups.name);
  private readonly stop = new AbortController();
  private timer: NodeJS.Timeout | undefined;
  private isRunning = false;
  private newest: Date | undefined;

  constructor(
    private readonly settings: BackupSettings,
    private readonly store: Settings,
  ) {}

  @Gauge({
    name: 'plant_store_backup_last_success_timestamp_seconds',
    help: 'Time at which the latest backup began, in seconds since 1970; 0 before the first.',
  })
  lastSuccess(): Reading {
    return this.timer && (this.newest?.getTime() ?? 0) / 1000;
  }

  onApplicationBootstrap(): void {
    const { database } = this.store;
    const { folder, interval } = this.settings;
    if (folder === undefined || database.type !== 'sqlite') return;
    this.newest = newestIn(folder);
    const check = () => void this.backUpIfDue(database.path, folder);
    check();
    this.timer = setInterval(check, Math.min(interval, CHECK_EVERY_MS)).unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
    this.stop.abort();
  }

  private async backUpIfDue(path: string, folder: string): Promise<void> {
    const { interval, BACKUP_KEEP: keep } = this.settings;
    const time = new Date();
    const isDue = !this.newest || Math.abs(time.getTime() - this.newest.getTime()) >= interval;
    if (this.isRunning || !isDue) return;
    this.isRunning = true;
    const file = join(folder, `plant-store-${time.toISOString().slice(0, 19).replaceAll(':', '-')}Z.db`);
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      remove(folder, namesIn(folder, UNFINISHED));
      await this.backUp(path, file);
      this.newest = time;
      this.logger.log(`Backed up to ${file} (${statSync(file).size} bytes).`);
      remove(folder, namesIn(folder, FINISHED).slice(0, -keep));
    } catch (error) {
      if (!this.stop.signal.aborted)
        this.logger.error(`The backup to ${file} has failed: ${reasonOf(error)}`);
    } finally {
      this.isRunning = false;
    }
  }

  private async backUp(path: string, file: string): Promise<void> {
    const copying = run(process.execPath, [COMMAND, 'backup', file], {
      env: { ...process.env, DATABASE_URL: `sqlite:${path}` },
      signal: this.stop.signal,
      timeout: BACKUP_TIMEOUT_MS,
      killSignal: 'SIGKILL',
    });
    // Below the service, but no lower: on a busy machine, the backup would then hold its snapshot for too long.
    if (copying.child.pid) setPriority(copying.child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
    await copying;
  }
}

@Module({ providers: [ScheduledBackups] })
export class BackupModule {
  static readonly settings = BackupSettings;
  static readonly addCommands = addBackupCommands;
}

/** Sorted by time. */
function namesIn(folder: string, pattern: RegExp): string[] {
  return readdirSync(folder)
    .filter((name) => pattern.test(name))
    .toSorted();
}

function remove(folder: string, names: readonly string[]): void {
  for (const name of names) rmSync(join(folder, name), { force: true });
}

function newestIn(folder: string): Date | undefined {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return undefined;
  const name = namesIn(folder, FINISHED).at(-1);
  return name === undefined ? undefined : new Date(name.replace(FINISHED, '$1T$2:$3:$4Z'));
}

function reasonOf(error: unknown): string {
  const { killed, stderr, message } = error as { killed?: boolean; stderr?: string; message: string };
  return killed ? `it took longer than ${BACKUP_TIMEOUT_MS / 60_000} minutes.` : stderr || message;
}

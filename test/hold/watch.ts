import { once } from 'node:events';
import { readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { query } from '../support/postgres-server.js';
import type { ServiceProcess } from '../support/running-process.js';
import type { Question, Reading } from './loop-watch.js';

/** What a service holds at a moment. */
export interface Level {
  readonly descriptors: number;
  readonly sockets: number;
  readonly timers: number;
  /** Sessions of PostgreSQL; 0 on SQLite. */
  readonly sessions: number;
  readonly idleInTransaction: number;
  /** Megabytes in use when there is no garbage. */
  readonly heldMb: number;
}

/** How long the service has to answer a question, in milliseconds, before it is taken for hung. */
const PATIENCE_MS = 60_000;
const MAX_LAST_WORDS = 600;
const MB = 1_048_576;

/** What the service does not know about itself: watches its process and its database, and never asks over HTTP. */
export class Watch {
  /** @param server the PostgreSQL on which `database` is; undefined on SQLite. */
  constructor(
    private readonly service: ServiceProcess,
    private readonly database: string,
    private readonly server: string | undefined,
  ) {}

  /** Forgets the highest memory and the longest block that there were. */
  async begin(): Promise<void> {
    // The kernel then takes what is resident now for the highest (proc(5), clear_refs).
    writeFileSync(`/proc/${this.service.child.pid}/clear_refs`, '5');
    await this.ask('begin');
  }

  /** Milliseconds for which the event loop stood still at most since `begin`. */
  async longestBlock(): Promise<number> {
    return (await this.ask('read')).longestBlock;
  }

  /** The most megabytes that were resident since `begin`; undefined when the process has ended. */
  peakMb(): number | undefined {
    if (this.hasEnded) return undefined;
    const status = readFileSync(`/proc/${this.service.child.pid}/status`, 'utf8');
    const [, kilobytes] = /VmHWM:\s+(\d+)/.exec(status) ?? [];
    return kilobytes === undefined ? undefined : Number(kilobytes) / 1024;
  }

  /** What is held, apart from memory. */
  async counts(): Promise<Omit<Level, 'heldMb'>> {
    const { timers } = await this.ask('read');
    const folder = `/proc/${this.service.child.pid}/fd`;
    const targets = readdirSync(folder).map((name) => targetOf(`${folder}/${name}`));
    return {
      descriptors: targets.length,
      sockets: targets.filter((target) => target.startsWith('socket:')).length,
      timers,
      ...(await this.sessions()),
    };
  }

  /** Megabytes in use; collects the garbage, which blocks the service for a moment. */
  async heldMb(): Promise<number> {
    return (await this.ask('collect')).heldBytes / MB;
  }

  private async sessions(): Promise<Pick<Level, 'sessions' | 'idleInTransaction'>> {
    if (this.server === undefined) return { sessions: 0, idleInTransaction: 0 };
    const [row] = await query<{ sessions: number; idle: number }>(
      this.server,
      `SELECT count(*)::int AS sessions, count(*) FILTER (WHERE state LIKE 'idle in transaction%')::int AS idle
       FROM pg_stat_activity WHERE datname = '${new URL(this.database).pathname.slice(1)}'`,
    );
    return { sessions: row?.sessions ?? 0, idleInTransaction: row?.idle ?? 0 };
  }

  /** The beginning of what it has written to standard error, where an exception that nobody caught is. */
  private lastWords(): string {
    return this.service.stderr().trim().slice(0, MAX_LAST_WORDS).replaceAll(/\s+/g, ' ');
  }

  private get hasEnded(): boolean {
    const { exitCode, signalCode } = this.service.child;
    return exitCode !== null || signalCode !== null;
  }

  private async ask(question: Question): Promise<Reading> {
    const { child } = this.service;
    const answer = once(child, 'message').then(([reading]: Reading[]) => reading);
    if (!this.hasEnded) child.send(question);
    const reading = await Promise.race([
      answer,
      this.service.exited.then(
        (code) => `The service ended with ${code ?? child.signalCode}: ${this.lastWords()}`,
      ),
      sleep(PATIENCE_MS, 'The service hangs.', { ref: false }),
    ]);
    if (typeof reading === 'string' || reading === undefined) throw new Error(reading);
    return reading;
  }
}

function targetOf(link: string): string {
  try {
    return readlinkSync(link);
  } catch {
    // Closed meanwhile.
    return '';
  }
}

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

  /** The most megabytes that were resident since `begin`. */
  peakMb(): number {
    const status = readFileSync(`/proc/${this.service.child.pid}/status`, 'utf8');
    return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024;
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

  private async ask(question: Question): Promise<Reading> {
    const { child, exited } = this.service;
    const answer = once(child, 'message') as Promise<[Reading]>;
    if (child.connected) child.send(question);
    const reading = await Promise.race([
      answer.then(([given]) => given),
      // The beginning of what it has written says which exception nobody caught.
      exited.then(
        (code) =>
          `The service ended with ${code ?? child.signalCode}: ${this.service.stderr().slice(0, 600)}`,
      ),
      sleep(PATIENCE_MS, 'The service hangs.', { ref: false }),
    ]);
    if (typeof reading === 'string') throw new Error(reading);
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

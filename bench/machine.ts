import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';

/** What the figures were measured on. */
export const machine = `Node.js ${process.version}, ${cpus().length} cores of ${cpus()[0]?.model}`;

/** The core of the measured servers; they work in turn. */
export const SERVER_CORE = '0';
/** The core of the load, which this process makes. */
export const LOAD_CORE = '1';
export const ALL_CORES = `0-${cpus().length - 1}`;

/** Binds the threads of a process to cores; processes that it starts later inherit them. */
export function bind(pid: number, cores: string): void {
  execFileSync('taskset', ['-acp', cores, String(pid)]);
}

const US_PER_CLOCK_TICK = 10_000;

/** CPU of a process and its children, also of those that have ended, user and system, in µs (proc_pid_stat(5); steps of 10 ms). */
export function cpuUsOf(pid: number): number {
  for (;;) {
    const ticks = ticksOf(pid, 4);
    try {
      const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').match(/\d+/g) ?? [];
      return children.reduce((sum, child) => sum + ticksOf(Number(child), 2), ticks) * US_PER_CLOCK_TICK;
    } catch (error) {
      // A child has ended, so its time is now its parent's: read both again.
      if (!/^(ENOENT|ESRCH)$/.test((error as NodeJS.ErrnoException).code ?? '')) throw error;
    }
  }
}

/** The sum of user and system time, which are two fields, followed by those of the children that have ended. */
function ticksOf(pid: number, fields: 2 | 4): number {
  // The name, in parentheses, may contain anything; the third field follows it.
  const [, rest = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
  return rest
    .split(' ')
    .slice(11, 11 + fields)
    .reduce((sum, field) => sum + Number(field), 0);
}

import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';

/** What the figures were measured on. */
export const machine = `Node.js ${process.version}, ${cpus().length} cores of ${cpus()[0]?.model}`;

/** The core that a measured server runs on; the load comes from another. */
export const SERVER_CORE = '0';

/** The core that the load comes from. */
export const LOAD_CORE = '1';

/** No placement at all: the system decides. */
export const ALL_CORES = `0-${cpus().length - 1}`;

const US_PER_CLOCK_TICK = 10_000;

/** CPU that a process has used so far, user and system, in microseconds (proc_pid_stat(5); steps of 10 ms). */
export function cpuUsOf(pid: number): number {
  const { user, system } = statOf(pid);
  return (user + system) * US_PER_CLOCK_TICK;
}

/** The same of a process and all its children, those that have ended too. */
export function cpuUsOfFamily(pid: number): number {
  for (;;) {
    const { user, system, endedUser, endedSystem } = statOf(pid);
    const alive = cpuUsOfAll(childrenOf(pid));
    // The time of a child that has ended just now went over to its parent, so that has to be read again.
    if (alive !== undefined) return (user + system + endedUser + endedSystem) * US_PER_CLOCK_TICK + alive;
  }
}

/** The same of everything on the machine, the kernel's interrupts too (proc_stat(5)). */
export function cpuUsOfMachine(): number {
  const [, ...fields] = readFileSync('/proc/stat', 'utf8').split('\n')[0]?.split(/ +/) ?? [];
  const [user = 0, nice = 0, system = 0, , , interrupts = 0, softInterrupts = 0] = fields.map(Number);
  return (user + nice + system + interrupts + softInterrupts) * US_PER_CLOCK_TICK;
}

function cpuUsOfAll(pids: readonly number[]): number | undefined {
  try {
    return pids.reduce((sum, pid) => sum + cpuUsOf(pid), 0);
  } catch (error) {
    if (/^(ENOENT|ESRCH)$/.test((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}

function statOf(pid: number) {
  // The name, in parentheses, may hold anything; the numbers begin behind it with the third field.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ').map(Number) ?? [];
  const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11);
  return { user, system, endedUser, endedSystem };
}

function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .trim()
    .split(' ')
    .filter(Boolean)
    .map(Number);
}

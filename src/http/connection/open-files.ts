import { readFileSync } from 'node:fs';

/** Files that the process may have open at a time, sockets included (`ulimit -n`); infinitely many where it does not tell. */
export function maxOpenFiles(): number {
  try {
    const [, limit] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return limit === undefined ? Infinity : Number(limit);
  } catch {
    // Not Linux.
    return Infinity;
  }
}

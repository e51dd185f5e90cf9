import { readdirSync, readFileSync, statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Databases } from './databases.js';
import { ALL_CORES } from './machine.js';
import { mixedLoad } from './mixed-load.js';
import { SHIPPED, withServers } from './servers.js';
import { type Column, formatTable } from './table.js';

const MINUTES = 30;
const WARM_UP_MS = 30_000;
const SAMPLING_MS = 5_000;

/** What is looked at from time to time. */
interface Sample {
  readonly memoryMb: number;
  readonly fileDescriptors: number;
  readonly walMb: number;
}

const CURVES = [
  ['resident memory, MB', 'memoryMb'],
  ['file descriptors', 'fileDescriptors'],
  ['write-ahead log, MB', 'walMb'],
] as const;

const COLUMNS: readonly Column<{ readonly name: string; readonly first: number; readonly last: number }>[] = [
  ['', ({ name }) => name],
  ['first third', ({ first }) => first.toFixed(1)],
  ['last third', ({ last }) => last.toFixed(1)],
  ['ratio', ({ first, last }) => (last / first).toFixed(2)],
];

/**
 * Looks for leaks of the service on SQLite under a long mixed load: creates, reads, lists, deletions, imports, and clients that go away.
 * Compares the mean of the last third of the time with that of the first.
 */
export async function soak(databases: Databases): Promise<string> {
  const place = { databases, count: 1, cores: ALL_CORES };
  return withServers(SHIPPED.SQLite, place, async ([server], database) => {
    if (server === undefined) throw new Error('There is no server.');
    const stop = new AbortController();
    const load = mixedLoad(server, stop.signal);
    await sleep(WARM_UP_MS);
    const samples: Sample[] = [];
    while (samples.length < (MINUTES * 60_000) / SAMPLING_MS) {
      samples.push(look(server.pid, `${database.url.replace('sqlite:', '')}-wal`));
      await sleep(SAMPLING_MS);
    }
    stop.abort();
    await load.ended;
    const third = Math.floor(samples.length / 3);
    const rows = CURVES.map(([name, member]) => {
      const mean = (part: readonly Sample[]) =>
        part.reduce((sum, sample) => sum + sample[member], 0) / part.length;
      return { name, first: mean(samples.slice(0, third)), last: mean(samples.slice(-third)) };
    });
    const requests = Object.values(load.counts).reduce((sum, count) => sum + count, 0);
    if (load.wrong.length > 0)
      throw new Error(`Some of ${requests} answers were not as they should be: ${load.wrong.join('; ')}`);
    return `${formatTable(COLUMNS, rows)}\n\n${requests.toLocaleString('en')} requests, of which none failed.`;
  });
}

function look(pid: number, wal: string): Sample {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return {
    memoryMb: Number(kilobytes) / 1024,
    fileDescriptors: readdirSync(`/proc/${pid}/fd`).length,
    walMb: statSync(wal).size / 1_048_576,
  };
}

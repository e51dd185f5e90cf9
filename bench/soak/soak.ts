/**
 * `npm run bench:soak`: memory, file descriptors and write-ahead log of the service on SQLite under a mixed load that goes on
 * for long: creates, reads, lists, deletions, imports, and clients that go away.
 *
 * Prints the mean of the last third of the time against that of the first, which a leak would raise, and draws all samples.
 * Options: `--minutes 30`, `--output <path without ending>`. Needs Linux and `taskset`.
 */
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { drawCurves } from './curves.js';
import { Databases } from '../databases.js';
import { mixedLoad } from './mixed-load.js';
import { ALL_CORES, machine } from '../machine.js';
import { SHIPPED } from '../servers/contenders.js';
import { withServers } from '../servers/with-servers.js';
import { type Column, formatTable } from '../table.js';

const WARM_UP_MS = 30_000;
const SAMPLING_MS = 5_000;

/** What is looked at from time to time. */
interface Sample {
  readonly minutes: number;
  readonly memoryMb: number;
  readonly fileDescriptors: number;
  readonly walMb: number;
}

const CURVES = [
  ['resident memory, MB', 'memoryMb'],
  ['file descriptors', 'fileDescriptors'],
  ['write-ahead log, MB', 'walMb'],
] as const;

const { values: options } = parseArgs({
  options: {
    minutes: { type: 'string', default: '30' },
    output: { type: 'string', default: join(import.meta.dirname, 'soak') },
  },
});

const samples: Sample[] = [];
const databases = new Databases();
const load = await withServers(
  SHIPPED.SQLite,
  { databases, count: 1, cores: ALL_CORES },
  async ([server], database) => {
    if (server === undefined) throw new Error('There is no server.');
    const stop = new AbortController();
    const running = mixedLoad(server, stop.signal);
    await sleep(WARM_UP_MS);
    const start = performance.now();
    const end = start + Number(options.minutes) * 60_000;
    while (performance.now() < end) {
      const minutes = (performance.now() - start) / 60_000;
      samples.push({ minutes, ...look(server.pid, `${database.url.replace('sqlite:', '')}-wal`) });
      await sleep(SAMPLING_MS);
    }
    stop.abort();
    await running.ended;
    return running;
  },
);

const third = Math.floor(samples.length / 3);
const summary = CURVES.map(([name, member]) => {
  const mean = (part: readonly Sample[]) =>
    part.reduce((sum, sample) => sum + sample[member], 0) / part.length;
  const [first, last] = [mean(samples.slice(0, third)), mean(samples.slice(-third))];
  return { name, first, last, ratio: last / first };
});
const columns: readonly Column<(typeof summary)[number]>[] = [
  ['', ({ name }) => name],
  ['first third', ({ first }) => first.toFixed(1)],
  ['last third', ({ last }) => last.toFixed(1)],
  ['ratio', ({ ratio }) => ratio.toFixed(2)],
];
process.stdout.write(
  `${formatTable(columns, summary)}\n\n${JSON.stringify(load.counts)}, ${load.wrong.length} wrong\n`,
);
writeFileSync(
  `${options.output}.svg`,
  drawCurves(
    CURVES.map(([name, member]) => ({ name, points: samples.map((one) => [one.minutes, one[member]]) })),
  ),
);
writeFileSync(
  `${options.output}.json`,
  `${JSON.stringify({ machine, options, summary, counts: load.counts, wrong: load.wrong, samples }, null, 2)}\n`,
);
process.exitCode = load.wrong.length === 0 ? 0 : 1;

function look(pid: number, wal: string): Omit<Sample, 'minutes'> {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return {
    memoryMb: Number(kilobytes) / 1024,
    fileDescriptors: readdirSync(`/proc/${pid}/fd`).length,
    walMb: statSync(wal).size / 1_048_576,
  };
}

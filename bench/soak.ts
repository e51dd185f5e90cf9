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
import { Databases } from './databases.js';
import { ALL_CORES, machine } from './machine.js';
import { mixedLoad } from './mixed-load.js';
import { SHIPPED, withServers } from './servers.js';
import { type Column, formatTable } from './table.js';

const WIDTH = 760;
const HEIGHT = 120;
const LEFT = 60;
const GAP = 50;

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

/** Values over minutes. */
interface Curve {
  readonly name: string;
  readonly points: readonly (readonly [minutes: number, value: number])[];
}

/** Draws values over time as a picture (SVG), one curve below the other, each from zero. */
function drawCurves(curves: readonly Curve[]): string {
  const height = curves.length * (HEIGHT + GAP) + GAP;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH + LEFT + 20} ${height}" font-family="sans-serif" font-size="13">`,
    `<rect width="100%" height="${height}" fill="#ffffff"/>`,
    ...curves.map(
      (curve, index) =>
        `<g transform="translate(${LEFT} ${GAP + index * (HEIGHT + GAP)})">\n${draw(curve)}\n</g>`,
    ),
    '</svg>',
    '',
  ].join('\n');
}

function draw({ name, points }: Curve): string {
  const last = points.at(-1)?.[0] ?? 0;
  const most = Math.max(...points.map(([, value]) => value));
  const path = points
    .map(
      ([minutes, value]) =>
        `${((minutes / last) * WIDTH).toFixed(1)},${((1 - value / most) * HEIGHT).toFixed(1)}`,
    )
    .join(' ');
  return [
    `<text x="0" y="-8">${name}</text>`,
    `<text x="-6" y="5" text-anchor="end">${most.toFixed(0)}</text>`,
    `<text x="-6" y="${HEIGHT}" text-anchor="end">0</text>`,
    `<text x="${WIDTH}" y="${HEIGHT + 16}" text-anchor="end">${last.toFixed(0)} minutes</text>`,
    `<path d="M0 0V${HEIGHT}H${WIDTH}" fill="none" stroke="#9e9e9e"/>`,
    `<polyline points="${path}" fill="none" stroke="#2e7d32" stroke-width="1.5"/>`,
  ].join('\n');
}

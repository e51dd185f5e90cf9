/**
 * `npm run bench:reads`: what it takes to read one plant and to list plants, in a store of 1,000,000, on SQLite and on
 * PostgreSQL.
 *
 * The service runs on one core, the load of 8 connections comes from another, PostgreSQL shares both. Every answer is
 * checked for its number of plants. Prints a table for each database, and writes every measurement as JSON.
 * Options: `--seconds 3`, `--output <path without ending>`. Needs Linux with two cores, `wrk` and `taskset`.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type DatabaseKind, Databases } from './databases.js';
import { machine } from './machine.js';
import { measureReads, type ReadMeasurement } from './measure-reads.js';
import { type Column, formatTable } from './table.js';

const COLUMNS: readonly Column<ReadMeasurement>[] = [
  ['', ({ read }) => read],
  ['reads/s', ({ perSecond }) => perSecond.toFixed(0)],
  ['p50 ms', ({ p50Us }) => (p50Us / 1000).toFixed(2)],
  ['p99 ms', ({ p99Us }) => (p99Us / 1000).toFixed(2)],
  ['CPU µs/read', ({ cpuUsEach }) => cpuUsEach.toFixed(0)],
  ['database CPU µs/read', ({ databaseCpuUsEach }) => databaseCpuUsEach.toFixed(0)],
];

const KINDS: readonly DatabaseKind[] = ['SQLite', 'PostgreSQL'];

const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '3' },
    output: { type: 'string', default: join(import.meta.dirname, 'reads') },
  },
});

const measurements: ReadMeasurement[] = [];
const databases = new Databases();
try {
  for (const kind of KINDS) {
    const measured = await measureReads(kind, databases, Number(options.seconds));
    process.stdout.write(`**${kind}**\n\n${formatTable(COLUMNS, measured)}\n\n`);
    measurements.push(...measured);
  }
  const postgres = await databases.postgresSettings();
  writeFileSync(
    `${options.output}.json`,
    `${JSON.stringify({ machine, postgres, options, measurements }, null, 2)}\n`,
  );
} finally {
  await databases.remove();
}

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
import { readPlants } from './load.js';
import { machine, SERVER_CORE } from './machine.js';
import { meter, type Metered } from './meter.js';
import { SHIPPED, withServers } from './servers.js';
import { type Column, formatTable } from './table.js';

/** Plants in the store, with ids from 1. */
const PLANTS = 1_000_000;

const FILL = `
  WITH RECURSIVE ids (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM ids WHERE id < ${PLANTS})
  INSERT INTO plants (id, name, tag)
  SELECT id,
         CASE WHEN id % 100000 = 50000 THEN 'Welwitschia mirabilis '
              WHEN id > 900000 THEN 'Zamia furfuracea '
              ELSE 'Monstera deliciosa ' END || id,
         CASE WHEN id % 100000 = 1 THEN 'rare' WHEN id % 2 = 0 THEN 'houseplant' END
  FROM ids`;

/** What is read: a path in which ID stands for an id, the first of the ids, and the plants in an answer. */
interface Read {
  readonly name: string;
  readonly path: string;
  readonly first: number;
  readonly plants: number;
}

/** How many ids, one after the other, take the place of ID. */
const IDS = 1000;
const START = 0;
/** Behind each of the names from here on there are 100 more, also of those with a tag. */
const NAMED_START = 1000;
const END = PLANTS - 2 * IDS;

/** Where a list in the order of the names goes on after the plant ID: its name, in the form of a part of a cursor, and its id. */
const MONSTERA = 'Monstera%2520deliciosa%2520ID,ID';
const ZAMIA = 'Zamia%2520furfuracea%2520ID,ID';

const READS: readonly Read[] = [
  { name: 'one, at the start', path: '/plants/ID', first: START + 1, plants: 1 },
  { name: 'one, at the end', path: '/plants/ID', first: END + 1, plants: 1 },
  ...list('100', '', 100),
  ...named('100 with a tag that half of them have', '&tag=houseplant'),
  { name: '10 with a rare tag', path: '/plants?tag=rare', first: 0, plants: 10 },
  { name: '10 with a rare name', path: '/plants?name=Welwitschia', first: 0, plants: 10 },
  {
    name: '100 with a name that most have',
    path: `/plants?name=Monst&after=${MONSTERA}`,
    first: NAMED_START,
    plants: 100,
  },
  {
    name: '100 with that tag and a name that most have',
    path: `/plants?tag=houseplant&name=Monst&after=${MONSTERA}`,
    first: NAMED_START,
    plants: 100,
  },
];

function list(name: string, parameters: string, plants: number): Read[] {
  const path = `/plants?limit=100&after=ID${parameters}`;
  return [
    { name: `${name}, at the start`, path, first: START, plants },
    { name: `${name}, at the end`, path, first: END, plants },
  ];
}

/** Lists that are in the order of the names. */
function named(name: string, parameters: string): Read[] {
  return [
    {
      name: `${name}, at the start`,
      path: `/plants?after=${MONSTERA}${parameters}`,
      first: START,
      plants: 100,
    },
    { name: `${name}, at the end`, path: `/plants?after=${ZAMIA}${parameters}`, first: END, plants: 100 },
  ];
}

/** What was measured of one kind of read. */
interface ReadMeasurement extends Metered {
  readonly database: DatabaseKind;
  readonly read: string;
}

const CONNECTIONS = 8;
/** Before the first kind of read, for V8 to get to know the service, and before each of the others. */
const FIRST_WARM_UP_SECONDS = 6;
const WARM_UP_SECONDS = 1;

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
    const measured = await measureReads(kind, Number(options.seconds));
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

/** Measures each kind of read, on the service on a core of its own. */
async function measureReads(kind: DatabaseKind, seconds: number): Promise<ReadMeasurement[]> {
  const place = { databases, count: 1, cores: SERVER_CORE };
  return withServers(SHIPPED[kind], place, async ([server], database) => {
    if (server === undefined) throw new Error('There is no server.');
    await database.execute(FILL);
    await database.settle();
    const measured: ReadMeasurement[] = [];
    for (const { name, path, first, plants } of READS) {
      const load = (duration: number) =>
        readPlants(
          server,
          { connections: CONNECTIONS, seconds: duration },
          path,
          { first, count: IDS },
          plants,
        );
      await load(measured.length === 0 ? FIRST_WARM_UP_SECONDS : WARM_UP_SECONDS);
      const metered = await meter([server], database, async () => [await load(seconds)]);
      measured.push({ database: kind, read: name, ...metered });
    }
    return measured;
  });
}

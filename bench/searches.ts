/**
 * `npm run bench:searches`: what a search takes in a store of 1,000,000 plants with and without its index, and what 100 clients
 * that search without a pause cost others that create, on SQLite and on PostgreSQL.
 *
 * Nothing is bound to a core. Prints two tables for each database, and writes every measurement as JSON.
 * Options: `--plants 1000000`, `--rounds 5`, `--output <path without ending>`. Needs Linux with two cores, `wrk` and `taskset`.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type BenchDatabase, type DatabaseKind, Databases } from './databases.js';
import { createPlants } from './load.js';
import { ALL_CORES, machine } from './machine.js';
import { SHIPPED, withServers, type ServerProcess } from './servers.js';
import { type Column, formatTable, median } from './table.js';

const { values: options } = parseArgs({
  options: {
    plants: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '5' },
    output: { type: 'string', default: join(import.meta.dirname, 'searches') },
  },
});
const PLANTS = Number(options.plants);
const ROUNDS = Number(options.rounds);

/** Plants with negative ids: those that the load creates come after them. */
const FILL = `
  WITH RECURSIVE ids (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM ids WHERE id < ${PLANTS})
  INSERT INTO plants (id, name, tag)
  SELECT -id,
         CASE WHEN id % ${PLANTS / 10} = 7 THEN 'Welwitschia mirabilis '
              WHEN id % 10 = 0 THEN 'Zamia furfuracea '
              ELSE 'Monstera deliciosa ' END || id,
         CASE WHEN id % 2 = 1 THEN 'houseplant' END
  FROM ids`;

/** Searches, and how many of their pages are read at most. */
const SEARCHES: readonly (readonly [name: string, query: string])[] = [
  ['10 plants with a rare word', 'search=welwitschia'],
  ['100 with a frequent word', 'search=furfuracea'],
  ['no plant', 'search=xyzzy'],
  ['100 with a frequent letter', 'search=m'],
  ['no plant with a letter', 'search=q'],
  ['10 with a rare word and a tag', 'search=welwitschia&tag=houseplant'],
  ['100 with a frequent word and a tag', 'search=delic&tag=houseplant'],
  ['two frequent words that never meet', 'search=monstera+furfuracea'],
  ['three frequent words that never meet', 'search=monstera+furfuracea+deliciosa'],
];

const INDEXES = ['off', 'on'] as const;
type Index = (typeof INDEXES)[number];

interface SearchMeasurement {
  readonly database: DatabaseKind;
  readonly index: Index;
  readonly search: string;
  readonly firstPageMs: number;
  /** Until a page is full or the list ends, and the pages for that. */
  readonly wholeMs: number;
  readonly pages: number;
  readonly countMs: number;
  readonly cpuMs: number;
}

interface FloodMeasurement {
  readonly database: DatabaseKind;
  readonly index: Index;
  readonly search: string;
  readonly aloneMs: number;
  readonly besideMs: number;
  readonly ratio: number;
  readonly searchesPerSecond: number;
}

const SEARCH_COLUMNS: readonly Column<SearchMeasurement>[] = [
  ['', ({ search }) => search],
  ['SEARCH', ({ index }) => index],
  ['first page ms', ({ firstPageMs }) => firstPageMs.toFixed(1)],
  ['whole ms', ({ wholeMs }) => wholeMs.toFixed(1)],
  ['pages', ({ pages }) => String(pages)],
  ['CPU ms', ({ cpuMs }) => cpuMs.toFixed(0)],
  ['count ms', ({ countMs }) => countMs.toFixed(0)],
];
const FLOOD_COLUMNS: readonly Column<FloodMeasurement>[] = [
  ['100 clients search for', ({ search }) => search],
  ['SEARCH', ({ index }) => index],
  ['create p50 ms, alone', ({ aloneMs }) => aloneMs.toFixed(2)],
  ['beside them', ({ besideMs }) => besideMs.toFixed(2)],
  ['ratio', ({ ratio }) => ratio.toFixed(2)],
  ['searches/s', ({ searchesPerSecond }) => searchesPerSecond.toFixed(0)],
];

const searches: SearchMeasurement[] = [];
const floods: FloodMeasurement[] = [];
const databases = new Databases();
try {
  for (const kind of ['SQLite', 'PostgreSQL'] as const) {
    for (const index of INDEXES) await measure(kind, index);
    const of = <Measured extends { database: DatabaseKind }>(all: readonly Measured[]) =>
      all.filter(({ database }) => database === kind);
    process.stdout.write(`**${kind}**\n\n${formatTable(SEARCH_COLUMNS, of(searches))}\n\n`);
    process.stdout.write(`${formatTable(FLOOD_COLUMNS, of(floods))}\n\n`);
  }
  writeFileSync(
    `${options.output}.json`,
    `${JSON.stringify({ machine, options, searches, floods }, null, 2)}\n`,
  );
} finally {
  await databases.remove();
}

async function measure(kind: DatabaseKind, index: Index): Promise<void> {
  const shipped = SHIPPED[kind];
  const contender = {
    ...shipped,
    environment: (...place: Parameters<typeof shipped.environment>) => ({
      ...shipped.environment(...place),
      SEARCH: index,
    }),
  };
  await withServers(contender, { databases, count: 1, cores: ALL_CORES }, async ([server], database) => {
    if (server === undefined) throw new Error('There is no server.');
    await database.execute(FILL);
    await database.settle();
    for (const [search, query] of SEARCHES)
      searches.push({ database: kind, index, search, ...(await measureSearch(server, database, query)) });
    for (const [search, query] of SEARCHES.slice(0, 3))
      floods.push({ database: kind, index, search, ...(await measureFlood(server, query)) });
  });
}

async function measureSearch(server: ServerProcess, database: BenchDatabase, query: string) {
  const firstPages: number[] = [];
  const wholes: number[] = [];
  const counts: number[] = [];
  let cpuUs = 0;
  let pages = 0;
  for (let round = -1; round < ROUNDS; round += 1) {
    const cpuBefore = server.cpuUs() + database.cpuUs();
    const begun = performance.now();
    let found = 0;
    let next: string | undefined = `?${query}`;
    const ends: number[] = [];
    while (next !== undefined && found < 100) {
      const { body, link } = await get(server, `/plants${next}`);
      found += (body as unknown[]).length;
      ends.push(performance.now() - begun);
      next = link;
    }
    const cpu = server.cpuUs() + database.cpuUs() - cpuBefore;
    const countBegun = performance.now();
    await get(server, `/plants/count?${query}`);
    // The first round warms up.
    if (round < 0) continue;
    counts.push(performance.now() - countBegun);
    firstPages.push(ends[0] ?? Number.NaN);
    wholes.push(ends.at(-1) ?? Number.NaN);
    pages = ends.length;
    cpuUs += cpu;
  }
  return {
    firstPageMs: median(firstPages),
    wholeMs: median(wholes),
    pages,
    countMs: median(counts),
    cpuMs: cpuUs / 1_000 / ROUNDS,
  };
}

/** Creates alone and beside 100 clients that search, in turns. */
async function measureFlood(server: ServerProcess, query: string) {
  const alone: number[] = [];
  const beside: number[] = [];
  let found = 0;
  let seconds = 0;
  for (let round = -1; round < ROUNDS; round += 1) {
    const load = { connections: 8, seconds: 3 };
    const before = await createPlants(server, load);
    const end = new AbortController();
    const clients = Array.from({ length: 100 }, async () => {
      while (!end.signal.aborted) {
        const { status } = await get(server, `/plants?${query}`);
        if (status === 200) found += 1;
      }
    });
    await sleep(1_000);
    const during = await createPlants(server, load);
    end.abort();
    await Promise.all(clients);
    seconds += 4;
    if (round < 0) continue;
    alone.push(before.p50Us / 1_000);
    beside.push(during.p50Us / 1_000);
  }
  return {
    aloneMs: median(alone),
    besideMs: median(beside),
    ratio: median(beside.map((ms, round) => ms / (alone[round] ?? Number.NaN))),
    searchesPerSecond: found / seconds,
  };
}

async function get({ url, token }: ServerProcess, path: string) {
  const response = await fetch(url + path, { headers: { Authorization: `Bearer ${token}` } });
  const link = /^<(.*)>/.exec(response.headers.get('Link') ?? '')?.[1];
  return { status: response.status, link, body: await response.json() };
}

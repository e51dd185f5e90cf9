import { setTimeout as sleep } from 'node:timers/promises';
import { type BenchDatabase, type Databases, KINDS } from './databases.js';
import { createPlants } from './load.js';
import { ALL_CORES } from './machine.js';
import { shipped, type ServerProcess, withServers } from './servers.js';
import { type Column, formatTable, median } from './table.js';

const PLANTS = 1_000_000;
const ROUNDS = 5;

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

/**
 * Measures what a search takes with and without its index, and what 100 clients that search without a pause cost others that create.
 * Nothing is bound to a core.
 */
export async function measureSearches(databases: Databases): Promise<string> {
  const texts: string[] = [];
  for (const kind of KINDS) {
    const searches: SearchMeasurement[] = [];
    const floods: FloodMeasurement[] = [];
    for (const index of INDEXES) {
      const contender = shipped(kind, 'the service', { SEARCH: index });
      await withServers(contender, { databases, count: 1, cores: ALL_CORES }, async ([server], database) => {
        if (server === undefined) throw new Error('There is no server.');
        await database.execute(FILL);
        await database.settle();
        for (const [search, query] of SEARCHES)
          searches.push({ index, search, ...(await measureSearch(server, database, query)) });
        for (const [search, query] of SEARCHES.slice(0, 3))
          floods.push({ index, search, ...(await measureFlood(server, query)) });
      });
    }
    texts.push(
      `**${kind}**\n\n${formatTable(SEARCH_COLUMNS, searches)}\n\n${formatTable(FLOOD_COLUMNS, floods)}`,
    );
  }
  return texts.join('\n\n');
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

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { send } from '../client.js';
import { type BenchDatabase, type DatabaseKind, type Databases, KINDS } from '../databases.js';
import { fill, idle } from './growth.js';
import { createPlants } from '../load.js';
import { ALL_CORES } from '../machine.js';
import { shipped, type ServerProcess, startServer } from '../servers.js';
import { type Column, formatTable, median } from '../table.js';

const SIZE = 1_000_000;
const ROUNDS = 3;

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

/** What 100 clients do; plants that are read by id cost others what so many requests do. */
const FLOODS: readonly (readonly [name: string, path: string])[] = [
  ...SEARCHES.slice(0, 3).map(([name, query]) => [`search for ${name}`, `/plants?${query}`] as const),
  ['read a plant', '/plants/1000'],
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
  readonly cpuMs: number;
}

interface FloodMeasurement {
  readonly index: Index;
  readonly flood: string;
  readonly aloneMs: number;
  readonly besideMs: number;
  readonly ratio: number;
  readonly answersPerSecond: number;
}

const SEARCH_COLUMNS: readonly Column<SearchMeasurement>[] = [
  ['', ({ search }) => search],
  ['SEARCH', ({ index }) => index],
  ['first page ms', ({ firstPageMs }) => firstPageMs.toFixed(1)],
  ['whole ms', ({ wholeMs }) => wholeMs.toFixed(1)],
  ['pages', ({ pages }) => String(pages)],
  ['CPU ms', ({ cpuMs }) => cpuMs.toFixed(0)],
];
const FLOOD_COLUMNS: readonly Column<FloodMeasurement>[] = [
  ['100 clients', ({ flood }) => flood],
  ['SEARCH', ({ index }) => index],
  ['create p50 ms, alone', ({ aloneMs }) => aloneMs.toFixed(2)],
  ['beside them', ({ besideMs }) => besideMs.toFixed(2)],
  ['ratio', ({ ratio }) => ratio.toFixed(2)],
  ['200 a second', ({ answersPerSecond }) => answersPerSecond.toFixed(0)],
];

/**
 * Measures what a search takes with and without its index, and what 100 clients that search without a pause cost others that create.
 * Nothing is bound to a core.
 */
export async function measureSearches(databases: Databases): Promise<string> {
  const texts: string[] = [];
  for (const kind of KINDS) {
    const folder = mkdtempSync(join(tmpdir(), 'plant-store-searches-'));
    try {
      texts.push(`**${kind}**\n\n${await measureOn(kind, databases, folder)}`);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
  return texts.join('\n\n');
}

async function measureOn(kind: DatabaseKind, databases: Databases, folder: string): Promise<string> {
  const searches: SearchMeasurement[] = [];
  const floods: FloodMeasurement[] = [];
  const database = await databases.create(kind, folder);
  await fill({ kind, database, folder, size: SIZE }, 0);
  for (const index of INDEXES) {
    const contender = shipped(kind, 'the service', { SEARCH: index });
    const server = await startServer(contender, database.url, folder, ALL_CORES);
    // The index is complete then.
    await idle(server, database);
    for (const [search, query] of SEARCHES)
      searches.push({ index, search, ...(await measureSearch(server, database, query)) });
    for (const [flood, path] of FLOODS) floods.push({ index, flood, ...(await measureFlood(server, path)) });
    process.stderr.write(`${kind}: SEARCH=${index}\n`);
    await server.stop();
  }
  await database.drop();
  return `${formatTable(SEARCH_COLUMNS, searches)}\n\n${formatTable(FLOOD_COLUMNS, floods)}`;
}

async function measureSearch(server: ServerProcess, database: BenchDatabase, query: string) {
  const cpuUs = () => server.cpuUs() + database.cpuUs();
  const firstPages: number[] = [];
  const wholes: number[] = [];
  let measuredUs = 0;
  let pages = 0;
  for (let round = -1; round < ROUNDS; round += 1) {
    const [cpuBefore, begun] = [cpuUs(), performance.now()];
    const ends: number[] = [];
    let found = 0;
    for (let next: string | undefined = `?${query}`; next !== undefined && found < 100;) {
      const response = await send(server, `/plants${next}`);
      found += ((await response.json()) as unknown[]).length;
      ends.push(performance.now() - begun);
      next = /^<(.*)>/.exec(response.headers.get('link') ?? '')?.[1];
    }
    // The first round warms up.
    if (round < 0) continue;
    measuredUs += cpuUs() - cpuBefore;
    firstPages.push(ends[0] ?? Number.NaN);
    wholes.push(ends.at(-1) ?? Number.NaN);
    pages = ends.length;
  }
  return {
    firstPageMs: median(firstPages),
    wholeMs: median(wholes),
    pages,
    cpuMs: measuredUs / 1_000 / ROUNDS,
  };
}

/** Creates alone and beside 100 clients without a pause, in turns. */
async function measureFlood(server: ServerProcess, path: string) {
  const load = { connections: 8, seconds: 2 };
  const alone: number[] = [];
  const beside: number[] = [];
  let answered = 0;
  let ms = 0;
  for (let round = -1; round < ROUNDS; round += 1) {
    const before = await createPlants(server, load);
    const end = new AbortController();
    const begun = performance.now();
    const clients = Array.from({ length: 100 }, async () => {
      while (!end.signal.aborted) {
        const response = await fetch(server.url + path, {
          headers: { authorization: `Bearer ${server.token}` },
        });
        await response.arrayBuffer();
        if (response.ok) answered += 1;
      }
    });
    await sleep(1_000);
    const during = await createPlants(server, load);
    end.abort();
    await Promise.all(clients);
    ms += performance.now() - begun;
    if (round < 0) continue;
    alone.push(before.p50Us / 1_000);
    beside.push(during.p50Us / 1_000);
  }
  return {
    aloneMs: median(alone),
    besideMs: median(beside),
    ratio: median(beside.map((time, round) => time / (alone[round] ?? Number.NaN))),
    answersPerSecond: (answered * 1_000) / ms,
  };
}

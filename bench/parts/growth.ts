import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { createFollowed, Follower, get } from '../client.js';
import { type BenchDatabase, type DatabaseKind, type Databases, KINDS } from '../databases.js';
import { type Cost, drawGrowth } from './growth-chart.js';
import { createPlants, type Load, type LoadResult, readPlants, SPACING } from '../load.js';
import { SERVER_CORE } from '../machine.js';
import { meter } from '../meter.js';
import { ROOT, type ServerProcess, shipped, SHIPPED, startServer } from '../servers.js';
import { type Column, formatTable, groupsOf, percentile } from '../table.js';

const exec = promisify(execFile);

const SIZES = [10_000, 1_000_000, 10_000_000];

const LOAD = { connections: 8, seconds: 3 };
const WARM_UP = { connections: 8, seconds: 1 };
/** At most so many plants are read, evenly spread over the store. */
const READ = 20_000;
/** A single client sends requests until there are so many or the time is over. */
const MOST_REQUESTS = 100;
const MOST_MS = 3_000;
/** CPU of a second in which service and database have nothing to do, in microseconds. */
const IDLE_US = 50_000;

/** The largest store for which the index of `SEARCH=on` is built, which takes the longest of all. */
const MOST_INDEXED = 1_000_000;

const IMPORTED = 100_000;
/** Ids beyond all others. */
const FOLLOWED = 10_000_000_000_000;

/** A cursor in the order of names. */
const AFTER = 'Monstera%2520deliciosa,ID';

/** A single page each. */
const PAGES = {
  'search for a word of each eighth plant, a page': '/plants?limit=100&search=monstera',
  count: '/plants/count',
  'count of a tag': '/plants/count?tag=houseplant',
};
/** From the first page to the last. */
const SEARCHES = {
  'search for a word of one plant in 100,000': '/plants?search=welwitschia',
  'search for a word of no plant': '/plants?search=nepenthes',
};

/** A store of a size. */
interface Store {
  readonly kind: DatabaseKind;
  readonly database: BenchDatabase;
  readonly folder: string;
  readonly size: number;
}

/** What a store as a whole takes. */
interface Whole {
  readonly name: string;
  readonly size: number;
  readonly value: string;
}

/**
 * Measures how the cost of the service grows with its store.
 *
 * The service makes the store, and SQL adds plants in one transaction while the service is stopped. Eight connections create, read and
 * list; one client counts, searches and follows changes. The service runs on a core of its own, and PostgreSQL shares both.
 */
export async function measureGrowth(databases: Databases): Promise<string> {
  const costs: Cost[] = [];
  const texts: string[] = [];
  for (const kind of KINDS) {
    const folder = mkdtempSync(join(tmpdir(), 'plant-store-growth-'));
    try {
      const database = await databases.create(kind, folder);
      const wholes: Whole[] = [];
      for (const [index, size] of SIZES.entries()) {
        const store = { kind, database, folder, size };
        await fill(store, SIZES[index - 1] ?? 0);
        wholes.push(...(await measureWhole(store)));
        costs.push(...(await measureRequests(store)));
        wholes.push(await measureImport(store));
        if (size <= MOST_INDEXED) wholes.push(await measureIndex(store, costs));
        process.stderr.write(`${kind}: ${size} plants\n`);
      }
      await database.drop();
      texts.push(
        `**${kind}**\n\n${formatCosts(costs.filter((cost) => cost.kind === kind))}\n\n${formatWholes(wholes)}`,
      );
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
  writeFileSync(join(ROOT, 'docs', 'growth.svg'), drawGrowth(costs));
  return texts.join('\n\n');
}

/** Adds plants by SQL, without a feed in which they would be changes. Their ids leave space for others between them. */
export async function fill({ kind, database, folder, size }: Store, filled: number): Promise<void> {
  const maker = await startServer(shipped(kind, 'the maker', { CHANGES_KEPT: '0' }), database.url, folder);
  await idle(maker, database);
  await maker.stop();
  await database.execute(`
    WITH RECURSIVE numbers (n) AS (SELECT CAST(${filled + 1} AS bigint) UNION ALL SELECT n + 1 FROM numbers WHERE n < ${size})
    INSERT INTO plants (id, name, tag)
    SELECT n * ${SPACING},
           CASE WHEN n % 100000 = 5000 THEN 'Welwitschia mirabilis'
                WHEN n % 8 = 0 THEN 'Monstera deliciosa' WHEN n % 8 = 1 THEN 'Aloe vera' WHEN n % 8 = 2 THEN 'Begonia maculata'
                WHEN n % 8 = 3 THEN 'Calathea ornata' WHEN n % 8 = 4 THEN 'Ficus elastica' WHEN n % 8 = 5 THEN 'Hoya carnosa'
                WHEN n % 8 = 6 THEN 'Peperomia obtusifolia' ELSE 'Zamia furfuracea' END,
           CASE n % 2 WHEN 0 THEN 'houseplant' ELSE 'greenhouse' END
    FROM numbers`);
  await database.settle();
}

async function measureWhole({ kind, database, folder, size }: Store): Promise<Whole[]> {
  const wholes: Whole[] = [
    { name: 'bytes of a plant on disk', size, value: ((await database.bytes()) / size).toFixed(0) },
  ];
  const timed = async <Result>(name: string, work: () => Promise<Result>): Promise<Result> => {
    const startedAt = performance.now();
    const result = await work();
    wholes.push({ name, size, value: secondsSince(startedAt) });
    return result;
  };
  const start = () => startServer(SHIPPED[kind], database.url, folder);
  const run = (...args: readonly string[]) => runCommand(database.url, folder, args);
  // This start makes the feed.
  await (await start()).stop();
  const server = await timed('s to start', start);
  await createPlants(server, WARM_UP);
  await server.stop('SIGKILL');
  await (await timed('s to start after `kill -9`', start)).stop();
  await timed('s of `plant-store doctor`', () => run('doctor'));
  const copy = join(folder, 'copy');
  if (kind === 'SQLite') await timed('s of `plant-store backup`', () => run('backup', copy));
  rmSync(copy, { force: true });
  await timed('s of `plant-store export`', () => run('export', '--output', copy));
  rmSync(copy);
  return wholes;
}

/** Imports new plants into a store that is large already. */
async function measureImport({ database, folder, size }: Store): Promise<Whole> {
  const file = join(folder, 'lines');
  const lines = Array.from(
    { length: IMPORTED },
    (_, index) => `{"id":${2 * FOLLOWED + 10 * size + index},"name":"Monstera deliciosa","tag":"houseplant"}`,
  );
  writeFileSync(file, lines.join('\n'));
  const startedAt = performance.now();
  await runCommand(database.url, folder, ['import', file]);
  return {
    name: `s of \`plant-store import\` of ${IMPORTED.toLocaleString('en')}`,
    size,
    value: secondsSince(startedAt),
  };
}

/** Runs a command of the service on its core. */
async function runCommand(url: string, folder: string, args: readonly string[]): Promise<void> {
  const program = join(ROOT, 'dist', 'src', 'cli', 'plant-store.js');
  const env = { PATH: process.env['PATH'], DATABASE_URL: url };
  await exec('taskset', ['-c', SERVER_CORE, process.execPath, program, ...args], { cwd: folder, env });
}

async function measureRequests({ kind, database, folder, size }: Store): Promise<Cost[]> {
  const server = await startServer(SHIPPED[kind], database.url, folder);
  await idle(server, database);
  const costs: Cost[] = [];
  const measure = async (operation: string, load: () => Promise<LoadResult>) => {
    costs.push({ kind, size, operation, ...(await meter([server], database, async () => [await load()])) });
  };
  const measureLoad = async (operation: string, load: (how: Load) => Promise<LoadResult>) => {
    await load(WARM_UP);
    await measure(operation, () => load(LOAD));
  };
  // After each of the first nine tenths there are enough plants for a page of every list.
  const count = Math.min(size * 0.9, READ);
  const plants = { first: SPACING, count, distance: Math.floor((size * 0.9) / count) * SPACING };
  const measureReads = (operation: string, path: string, found: number) =>
    measureLoad(operation, (how) => readPlants(server, how, path, plants, found));

  await measureReads('read', '/plants/ID', 1);
  await measureReads('page of 100', '/plants?limit=100&after=ID', 100);
  await measureReads('page of 100 with a tag', `/plants?limit=100&tag=houseplant&after=${AFTER}`, 100);
  await measureReads('page of 100 with a name', `/plants?limit=100&name=Monst&after=${AFTER}`, 100);
  for (const [operation, path] of Object.entries(SEARCHES))
    await measure(operation, () => repeat(() => get(server, path, true)));
  for (const [operation, path] of Object.entries(PAGES))
    await measure(operation, () => repeat(() => get(server, path)));
  const follower = await Follower.start(server);
  let id = FOLLOWED + size;
  await measure('change followed', () => repeat(() => createFollowed(server, follower, id++)));
  follower.stop();
  await measureLoad('create, ascending ids', (how) => createPlants(server, how));
  await measureLoad('create, random ids', (how) => createPlants(server, how, size));
  await server.stop();
  return costs;
}

/** Searches with the index, which takes a while to build. */
async function measureIndex({ kind, database, folder, size }: Store, costs: Cost[]): Promise<Whole> {
  const startedAt = performance.now();
  const server = await startServer(shipped(kind, 'the service', { SEARCH: 'on' }), database.url, folder);
  await idle(server, database);
  const built = {
    name: 's to start and build the index of `SEARCH=on`',
    size,
    value: secondsSince(startedAt),
  };
  for (const [operation, path] of Object.entries(SEARCHES)) {
    const load = async () => [await repeat(() => get(server, path, true))];
    costs.push({
      kind,
      size,
      operation: `${operation}, \`SEARCH=on\``,
      ...(await meter([server], database, load)),
    });
  }
  await server.stop();
  return built;
}

/** A single client, which does something again and again. */
async function repeat(work: () => Promise<number>): Promise<LoadResult> {
  const times: number[] = [];
  const startedAt = performance.now();
  while (times.length < MOST_REQUESTS && performance.now() - startedAt < MOST_MS) times.push(await work());
  const durationUs = (performance.now() - startedAt) * 1000;
  const [p50Us, p99Us] = [percentile(times, 50) * 1000, percentile(times, 99) * 1000];
  return { answered: times.length, wrong: 0, failed: 0, durationUs, p50Us, p99Us };
}

/** Waits until service and database have nothing to do for a second: no index to build, no dead rows to remove. */
export async function idle(server: ServerProcess, database: BenchDatabase): Promise<void> {
  const cpuUs = () => server.cpuUs() + database.cpuUs();
  for (let before = Number.NEGATIVE_INFINITY; cpuUs() - before > IDLE_US;) {
    before = cpuUs();
    await sleep(1_000);
  }
}

function secondsSince(startedAt: number): string {
  return ((performance.now() - startedAt) / 1000).toFixed(1);
}

/** A row for each operation, and three columns for each size. */
function formatCosts(costs: readonly Cost[]): string {
  const columns = SIZES.flatMap((size) => {
    const cell = (show: (cost: Cost) => string) => (row: readonly Cost[]) =>
      row
        .filter((cost) => cost.size === size)
        .map(show)
        .join();
    return [
      [
        `${size.toLocaleString('en')}: CPU µs`,
        cell(({ cpuUsEach, databaseCpuUsEach }) => (cpuUsEach + databaseCpuUsEach).toFixed(0)),
      ],
      ['p50 ms', cell(({ p50Us }) => (p50Us / 1000).toFixed(1))],
      ['p99 ms', cell(({ p99Us }) => (p99Us / 1000).toFixed(1))],
    ] satisfies Column<readonly Cost[]>[];
  });
  return formatTable(
    [['', ([cost]) => cost?.operation ?? ''], ...columns],
    groupsOf(costs, ({ operation }) => operation),
  );
}

function formatWholes(wholes: readonly Whole[]): string {
  const columns = SIZES.map((size): Column<readonly Whole[]> => [
    size.toLocaleString('en'),
    (row) =>
      row
        .filter((whole) => whole.size === size)
        .map(({ value }) => value)
        .join(),
  ]);
  return formatTable(
    [['', ([whole]) => whole?.name ?? ''], ...columns],
    groupsOf(wholes, ({ name }) => name),
  );
}

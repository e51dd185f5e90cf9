import { setTimeout as sleep } from 'node:timers/promises';
import { type BenchDatabase, type Databases, KINDS } from './databases.js';
import { type Cost, create, type Exchange, get, measureCost, measureLoad } from './load.js';
import { inFolder, type ServerProcess, service, startServer } from './servers.js';
import { formatTable } from './table.js';

const SIZES = [10_000, 1_000_000, 10_000_000];
/** The largest store for which the index of `SEARCH=on` is built, which takes the longest of all. */
const MOST_INDEXED = 1_000_000;
/** The distance between the ids of a store: new ids fall between them. */
const SPACING = 1000;
/** Beyond the ids of the largest store. */
let nextId = 1_000_000_000_000;
const IMPORTED = 100_000;

const LOAD = { connections: 8, seconds: 3 };
const WARM_UP = { connections: 8, seconds: 1 };
/** For counts and searches, of which each takes all of a core. */
const SINGLE = { connections: 1, seconds: 3 };
/** CPU of a second in which service and database are idle, in microseconds. */
const IDLE_US = 50_000;

interface Store {
  readonly database: BenchDatabase;
  readonly folder: string;
  readonly size: number;
}

/** Takes the figure of a row for a store. */
type Report = (row: string, figure: string) => void;

/** Reports the seconds of some work. */
async function timed<Result>(report: Report, row: string, work: () => Promise<Result>): Promise<Result> {
  const startedAt = performance.now();
  const result = await work();
  report(`${row}, s`, ((performance.now() - startedAt) / 1000).toFixed(1));
  return result;
}

/**
 * Measures how costs grow with the store.
 *
 * The service makes the store, and SQL adds plants while the service is stopped. Eight connections create, read and list; one client
 * counts, searches, exports and imports.
 */
export async function measureGrowth(databases: Databases): Promise<string> {
  const rows = new Map<string, string[]>();
  for (const [of, kind] of KINDS.entries()) {
    await inFolder(async (folder) => {
      const database = await databases.create(kind, folder);
      for (const [index, size] of SIZES.entries()) {
        const store = { database, folder, size };
        const report: Report = (row, figure) => {
          if (!rows.has(row)) rows.set(row, Array<string>(KINDS.length * SIZES.length).fill(''));
          rows.get(row)?.splice(of * SIZES.length + index, 1, figure);
        };
        await fill(store, SIZES[index - 1] ?? 0);
        await measureWhole(store, report);
        await measureRequests(store, report);
        if (size <= MOST_INDEXED) await measureIndex(store, report);
        process.stderr.write(`${kind}: ${size} plants\n`);
      }
      await database.drop();
    });
  }
  const headings = KINDS.flatMap((kind) => SIZES.map((size) => `${kind}, ${size.toLocaleString('en')}`));
  return formatTable([['', ...headings], ...Array.from(rows, ([row, figures]) => [row, ...figures])]);
}

/** Adds plants by SQL, without a feed in which they would be changes. */
async function fill({ database, folder, size }: Store, filled: number): Promise<void> {
  const maker = await startServer(service('the maker', { CHANGES_KEPT: '0' }), database.url, folder);
  await idle(maker, database);
  await maker.stop();
  await database.execute(`
    WITH RECURSIVE numbers (n) AS (SELECT CAST(${filled + 1} AS bigint) UNION ALL SELECT n + 1 FROM numbers WHERE n < ${size})
    INSERT INTO plants (id, name, tag)
    SELECT n * ${SPACING},
           CASE n % 8 WHEN 0 THEN 'Monstera deliciosa' WHEN 1 THEN 'Aloe vera' WHEN 2 THEN 'Begonia maculata'
                      WHEN 3 THEN 'Calathea ornata' WHEN 4 THEN 'Ficus elastica' WHEN 5 THEN 'Hoya carnosa'
                      WHEN 6 THEN 'Peperomia obtusifolia' ELSE 'Zamia furfuracea' END,
           CASE n % 2 WHEN 0 THEN 'houseplant' ELSE 'greenhouse' END
    FROM numbers`);
  await database.settle();
}

async function measureWhole({ database, folder, size }: Store, report: Report): Promise<void> {
  report('bytes of a plant on disk', ((await database.bytes()) / size).toFixed(0));
  const start = async () => startServer(service(), database.url, folder);
  // This start makes the feed.
  await (await start()).stop();
  const server = await timed(report, 'start', start);
  await measureLoad(server, database, WARM_UP, () => create(server, nextId++));
  await server.stop('SIGKILL');
  const restarted = await timed(report, 'start after `kill -9`', start);
  await timed(report, 'export', () => send(restarted, '/plants/export'));
  const line = () => `{"id":${nextId++},"name":"Monstera deliciosa","tag":"houseplant"}\n`;
  const lines = Array.from({ length: IMPORTED }, line).join('');
  await timed(report, 'import of 100,000', () => send(restarted, '/plants/import', lines));
  await restarted.stop();
}

async function measureRequests({ database, folder, size }: Store, report: Report): Promise<void> {
  const server = await startServer(service(), database.url, folder);
  await idle(server, database);
  const measure = async (row: string, load: typeof LOAD, next: () => Exchange) => {
    if (load === LOAD) await measureLoad(server, database, WARM_UP, next);
    report(`${row}, µs`, cpuUs(await measureLoad(server, database, load, next)));
  };
  // All numbers below the size before one comes again: the factor and a power of ten have no common divisor.
  let number = 0;
  const random = () => (number++ * 7_654_321) % size;
  // After each of the first nine tenths, every list has a full page.
  const measurePages = async (row: string, path: string, ids: number) =>
    measure(row, LOAD, () =>
      get(server, path.replace('ID', String((Math.floor(random() * 0.9) + 1) * SPACING)), ids),
    );
  await measurePages('read', '/plants/ID', 1);
  await measurePages('page of 100', '/plants?limit=100&after=ID', 100);
  await measurePages(
    'page with a tag',
    '/plants?limit=100&tag=houseplant&after=Monstera%2520deliciosa,ID',
    100,
  );
  await measure('count', SINGLE, () => get(server, '/plants/count', 0));
  await measure('count of a tag', SINGLE, () => get(server, '/plants/count?tag=houseplant', 0));
  report('search for no plant, µs', cpuUs(await measureSearches(server, database)));
  await measure('create, ascending ids', LOAD, () => create(server, nextId++));
  // Each size has ids of its own between those of the store.
  const between = () => random() * SPACING + Math.log10(size) * 100 + Math.floor(number / size);
  await measure('create, random ids', LOAD, () => create(server, between()));
  await server.stop();
}

/** One client searches, each time to the last page. */
async function measureSearches(server: ServerProcess, database: BenchDatabase): Promise<Cost> {
  return measureCost(server, database, async () => {
    const latencies: number[] = [];
    const startedAt = performance.now();
    for (let begunAt = startedAt; begunAt < startedAt + SINGLE.seconds * 1000; begunAt = performance.now()) {
      for (let next: string | undefined = '?search=nepenthes'; next !== undefined;) {
        const { headers }: Response = await send(server, `/plants${next}`);
        next = /^<(.*)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
      }
      latencies.push(performance.now() - begunAt);
    }
    return latencies;
  });
}

async function measureIndex({ database, folder }: Store, report: Report): Promise<void> {
  const server = await timed(report, 'start with a new index', async () => {
    const started = await startServer(service('the service', { SEARCH: 'on' }), database.url, folder);
    await idle(started, database);
    return started;
  });
  report('search for no plant, `SEARCH=on`, µs', cpuUs(await measureSearches(server, database)));
  await server.stop();
}

/** @throws Error unless the request succeeds. */
async function send({ url, token }: ServerProcess, path: string, body?: string): Promise<Response> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/x-ndjson' };
  const how = body === undefined ? { headers } : { method: 'POST', headers, body };
  const response = await fetch(new URL(path, url), how);
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  await response.body?.pipeTo(new WritableStream());
  return response;
}

/** Waits until service and database are idle for a second: no index to build, no dead rows to remove. */
async function idle(server: ServerProcess, database: BenchDatabase): Promise<void> {
  const used = () => server.cpuUs() + database.cpuUs();
  for (let before = Number.NEGATIVE_INFINITY; used() - before > IDLE_US;) {
    before = used();
    await sleep(1_000);
  }
}

/** CPU of the service and the database for a request. */
function cpuUs({ cpuUs: server, databaseCpuUs, latencies }: Cost): string {
  return ((server + databaseCpuUs) / latencies.length).toFixed(0);
}

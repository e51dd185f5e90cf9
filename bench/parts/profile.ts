import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Databases } from '../databases.js';
import { createPlants, nextPlants, OPERATIONS } from '../load.js';
import { type Operation, SHIPPED, startServer } from '../servers.js';
import { formatTable } from '../table.js';

interface Profile {
  readonly nodes: readonly { id: number; callFrame: { functionName: string; url: string } }[];
  /** Microseconds of the monotonic clock. */
  readonly startTime: number;
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

const WARM_UP = { connections: 64, seconds: 2 };
const LOAD = { connections: 64, seconds: 4 };

/** Plants that are read, one after the other. */
const READ = 1000;

const IDLE = 'waiting for requests';

/** Components by what their frames look like; the first one that fits counts. */
const COMPONENTS: readonly [string, RegExp][] = [
  [IDLE, /^\(idle\)/],
  ['SQLite and the disk', /^query .*BetterSqlite3QueryRunner/],
  ['garbage collection', /^\(garbage collector\)/],
  ['sockets', /^(write\w*|read\w*|shutdown) $/],
  ['logging', /pino|sonic-boom|dist\/src\/logging|internal\/async_context_frame/],
  ['authentication', /passport|dist\/src\/auth|internal\/crypto|reflect-metadata/],
  ['validation', /class-validator|class-transformer|validation/],
  ['JSON and body', /dist\/src\/http\/body/],
  ['statement and group commit', /typeorm|debug|dist\/src\/(database|store|resource|plants)/],
  ['NestJS', /@nestjs|rxjs/],
  ['Express', /node_modules\/(express|router|finalhandler|path-to-regexp|parseurl|qs|encodeurl)\//],
  ['node:http and streams', /node:/],
];

/** Microseconds of the main thread for a request, by component. */
type Shares = ReadonlyMap<string, number>;

/**
 * Profiles the service on SQLite under the load of each operation and adds the samples up by component. Time in which the thread waits
 * for SQLite and its disk counts, time in which it has nothing to do does not.
 */
export async function measureProfile(databases: Databases): Promise<string> {
  const profiles: [string, Shares][] = [];
  for (const operation of Object.keys(OPERATIONS) as Operation[])
    profiles.push([operation, await profile(databases, operation)]);
  const [[, creates] = ['', new Map<string, number>()]] = profiles;
  const components = [...creates.keys()].toSorted((a, b) => (creates.get(b) ?? 0) - (creates.get(a) ?? 0));
  return formatTable<[string, (shares: Shares) => number]>(
    [
      ['µs of the main thread', ([component]) => component],
      ...profiles.map(
        ([operation, shares]) =>
          [operation, ([, show]: [string, (shares: Shares) => number]) => show(shares).toFixed(1)] as const,
      ),
    ],
    [
      ...components.map((component): [string, (shares: Shares) => number] => [
        component,
        (shares) => shares.get(component) ?? 0,
      ]),
      ['all', (shares) => [...shares.values()].reduce((sum, us) => sum + us, 0)],
    ],
  );
}

async function profile(databases: Databases, operation: Operation): Promise<Shares> {
  const folder = mkdtempSync(join(tmpdir(), 'plant-store-profile-'));
  try {
    const database = await databases.create('SQLite', folder);
    const { command, ...rest } = SHIPPED.SQLite;
    const profiled = { ...rest, command: ['--cpu-prof', `--cpu-prof-dir=${folder}`, ...command] };
    const server = await startServer(profiled, database.url, folder);
    const plants = nextPlants(READ);
    await createPlants(server, WARM_UP);
    await OPERATIONS[operation](server, WARM_UP, plants);
    const from = monotonicUs();
    const { answered } = await OPERATIONS[operation](server, LOAD, plants);
    const until = monotonicUs();
    await server.stop();
    const totals = addUp(readProfile(folder), from, until);
    totals.delete(IDLE);
    return new Map([...totals].map(([component, us]) => [component, us / answered]));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function readProfile(folder: string): Profile {
  const file = readdirSync(folder).find((name) => name.endsWith('.cpuprofile')) ?? '';
  return JSON.parse(readFileSync(join(folder, file), 'utf8')) as Profile;
}

function addUp(
  { nodes, samples, startTime, timeDeltas }: Profile,
  from: number,
  until: number,
): Map<string, number> {
  const components = new Map(
    nodes.map(({ id, callFrame: { functionName, url } }) => [id, componentOf(`${functionName} ${url}`)]),
  );
  const totals = new Map<string, number>();
  let now = startTime;
  samples.forEach((id, index) => {
    const delta = timeDeltas[index] ?? 0;
    now += delta;
    const component = components.get(id) ?? '';
    if (now >= from && now <= until) totals.set(component, (totals.get(component) ?? 0) + delta);
  });
  return totals;
}

function componentOf(frame: string): string {
  return (
    COMPONENTS.find(([, pattern]) => pattern.test(frame))?.[0] ??
    'V8 itself: microtasks, regular expressions, the program'
  );
}

function monotonicUs(): number {
  return Number(process.hrtime.bigint() / 1000n);
}

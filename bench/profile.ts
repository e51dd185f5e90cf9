import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Databases } from './databases.js';
import { measureLoad, operationsOn } from './load.js';
import { inFolder, type Operation, OPERATIONS, service, startServer } from './servers.js';
import { formatTable } from './table.js';

interface Profile {
  readonly nodes: readonly { id: number; callFrame: { functionName: string; url: string } }[];
  /** Microseconds of the monotonic clock. */
  readonly startTime: number;
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

const WARM_UP = { connections: 64, seconds: 2 };
const LOAD = { connections: 64, seconds: 4 };

/** Components by function and file of their frames; the first that fits counts. */
const COMPONENTS: readonly [string, RegExp][] = [
  ['idle', /^\(idle\)/],
  ['SQLite and the disk', /^query .*BetterSqlite3QueryRunner/],
  ['garbage collection', /^\(garbage collector\)/],
  ['sockets', /^(write\w*|read\w*|shutdown) $/],
  ['logging', /pino|sonic-boom|dist\/src\/.*logging\/|internal\/async_context_frame/],
  ['authentication', /passport|dist\/src\/.*auth\/|internal\/crypto|reflect-metadata/],
  ['validation', /class-validator|class-transformer|validation/],
  ['JSON and body', /dist\/src\/.*http\/body/],
  ['statement and group commit', /typeorm|debug|dist\/src\/.*(database|store|resource|plants)\//],
  ['NestJS', /@nestjs|rxjs/],
  ['Express', /node_modules\/(express|router|finalhandler|path-to-regexp|parseurl|qs|encodeurl)\//],
  ['node:http and streams', /node:/],
  ['the rest of the service', /dist\/src\//],
  ['V8 itself: microtasks, regular expressions, the program', /^/],
];

/** Microseconds of the main thread for a request, by component. */
type Shares = ReadonlyMap<string, number>;

/**
 * Profiles the service on SQLite under the load of each operation and adds the samples up by component. Time in which the thread waits
 * for the disk counts, idle time does not.
 */
export async function measureProfile(databases: Databases): Promise<string> {
  const profiles: Shares[] = [];
  for (const operation of OPERATIONS) profiles.push(await profileOf(databases, operation));
  const row = (name: string, of: (shares: Shares) => number) => [
    name,
    ...profiles.map((shares) => of(shares).toFixed(1)),
  ];
  const ofCreate = [...(profiles[0] ?? [])].toSorted(([, a], [, b]) => b - a);
  return formatTable([
    ['µs of the main thread', ...OPERATIONS],
    ...ofCreate.map(([component]) => row(component, (shares) => shares.get(component) ?? 0)),
    row('all', (shares) => [...shares.values()].reduce((sum, us) => sum + us, 0)),
  ]);
}

async function profileOf(databases: Databases, operation: Operation): Promise<Shares> {
  return inFolder(async (folder) => {
    const database = await databases.create('SQLite', folder);
    const { command, ...rest } = service();
    const profiled = { ...rest, command: ['--cpu-prof', `--cpu-prof-dir=${folder}`, ...command] };
    const server = await startServer(profiled, database.url, folder);
    const next = operationsOn(server);
    await measureLoad(server, database, WARM_UP, next.create);
    await measureLoad(server, database, WARM_UP, next[operation]);
    const from = monotonicUs();
    const { latencies } = await measureLoad(server, database, LOAD, next[operation]);
    const until = monotonicUs();
    await server.stop();
    const totals = addUp(folder, from, until);
    totals.delete('idle');
    return new Map([...totals].map(([component, us]) => [component, us / latencies.length]));
  });
}

/** The microseconds of each component between two times. */
function addUp(folder: string, from: number, until: number): Map<string, number> {
  const file = readdirSync(folder).find((name) => name.endsWith('.cpuprofile')) ?? '';
  const profile = JSON.parse(readFileSync(join(folder, file), 'utf8')) as Profile;
  const frames = new Map(
    profile.nodes.map(({ id, callFrame }) => [id, `${callFrame.functionName} ${callFrame.url}`]),
  );
  const totals = new Map<string, number>();
  let now = profile.startTime;
  for (const [index, id] of profile.samples.entries()) {
    const delta = profile.timeDeltas[index] ?? 0;
    now += delta;
    if (now < from || now > until) continue;
    const [component = ''] = COMPONENTS.find(([, pattern]) => pattern.test(frames.get(id) ?? '')) ?? [];
    totals.set(component, (totals.get(component) ?? 0) + delta);
  }
  return totals;
}

function monotonicUs(): number {
  return Number(process.hrtime.bigint() / 1000n);
}

/**
 * `npm run bench:profile`: where the time of one request goes, in microseconds of the main thread.
 *
 * Profiles the service under load from 64 connections and adds the samples up by component. Time in which the thread
 * waits for SQLite and its disk counts, time in which it has nothing to do does not, and neither does waiting for
 * PostgreSQL, which shares the load's core here: on the service's core it would take time that counts as the service's.
 * Options: `--operation read`, `'page of 100'` or `create` (the default), `--database postgres` or `sqlite` (the default),
 * `--main <path>` of another build.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Databases } from './databases.js';
import { createPlants, nextPlants, OPERATIONS } from './load.js';
import { LOAD_CORE } from './machine.js';
import { type Contender, type Operation, SHIPPED, startServer } from './servers.js';

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

/** Components by what their frames look like; the first one that fits counts. */
const COMPONENTS: readonly [string, RegExp][] = [
  ['waiting for requests', /^\(idle\)/],
  ['SQLite and the disk', /^query .*BetterSqlite3QueryRunner/],
  ['driver of PostgreSQL', /node_modules\/(pg|postgres-)|dist\/src\/database\/postgres-client/],
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

const { values: options } = parseArgs({
  options: {
    operation: { type: 'string', default: 'create' },
    database: { type: 'string', default: 'sqlite' },
    main: { type: 'string' },
  },
});
const operation = OPERATIONS[options.operation as Operation];
const contender = SHIPPED[options.database === 'postgres' ? 'PostgreSQL' : 'SQLite'];

const folder = mkdtempSync(join(tmpdir(), 'plant-store-profile-'));
const databases = new Databases(LOAD_CORE);
try {
  const database = await databases.create(contender.database, folder);
  const server = await startServer(profiled(contender), database.url, folder);
  const plants = nextPlants(READ);
  await createPlants(server, WARM_UP);
  await operation(server, WARM_UP, plants);
  const from = monotonicUs();
  const { answered } = await operation(server, LOAD, plants);
  const until = monotonicUs();
  await server.stop();
  print(addUp(readProfile(), from, until), answered);
} finally {
  await databases.remove();
  rmSync(folder, { recursive: true, force: true });
}

function profiled({ command, ...rest }: Contender): Contender {
  const main = options.main ?? command.at(-1) ?? '';
  return { ...rest, command: ['--cpu-prof', `--cpu-prof-dir=${folder}`, main] };
}

function readProfile(): Profile {
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

function print(totals: Map<string, number>, answered: number): void {
  totals.delete('waiting for requests');
  const rows = [...totals].toSorted(([, a], [, b]) => b - a);
  const sum = rows.reduce((total, [, us]) => total + us, 0);
  process.stdout.write('| component | µs |\n| --- | ---: |\n');
  for (const [component, us] of [...rows, ['all', sum] as const]) {
    process.stdout.write(`| ${component} | ${(us / answered).toFixed(1)} |\n`);
  }
}

function monotonicUs(): number {
  return Number(process.hrtime.bigint() / 1000n);
}

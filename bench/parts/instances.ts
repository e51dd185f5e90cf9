import { cpus } from 'node:os';
import { assertStored, type Databases } from '../databases.js';
import { createPlants, type LoadResult } from '../load.js';
import { ALL_CORES, cpuUsOfMachine } from '../machine.js';
import { meter, type Metered } from '../meter.js';
import { type ServerProcess, SHIPPED, withServers } from '../servers.js';
import { type Column, formatTable, groupsOf, median } from '../table.js';

/** What was measured of a number of instances at a number of connections in one round. */
interface InstancesMeasurement extends Metered {
  readonly instances: number;
  readonly connections: number;
  /** Cores that were at work on average, for whomever. */
  readonly busyCores: number;
}

const CONNECTIONS = [64, 256];
const GENERATORS = 2;
const WARM_UP_SECONDS = 2;
const INSTANCES = [1, 2];
const ROUNDS = 3;
const SECONDS = 3;

/** Creates per second for which the table tells what they need. */
const NEEDED = [1_000, 10_000, 100_000, 1_000_000];
/** At most so much of a core is an instance to use. */
const MOST_BUSY = 0.7;

const COLUMNS: readonly Column<InstancesMeasurement>[] = [
  ['instances', ({ instances }) => String(instances)],
  ['connections', ({ connections }) => String(connections)],
  ['creates/s', ({ perSecond }) => perSecond.toFixed(0)],
  ['p50 ms', ({ p50Us }) => (p50Us / 1000).toFixed(2)],
  ['p99 ms', ({ p99Us }) => (p99Us / 1000).toFixed(2)],
  ['CPU µs/create', ({ cpuUsEach }) => cpuUsEach.toFixed(1)],
  ['database CPU µs/create', ({ databaseCpuUsEach }) => databaseCpuUsEach.toFixed(1)],
  ['creates/commit', ({ writesPerCommit }) => writesPerCommit.toFixed(1)],
  ['log bytes/create', ({ logBytesEach }) => logBytesEach.toFixed(0)],
  [`busy of ${cpus().length} cores`, ({ busyCores }) => busyCores.toFixed(2)],
];

/**
 * Compares one instance on a PostgreSQL with two, by creates.
 *
 * Two generators share the one instance, or have one each. Nothing is pinned: the instances, PostgreSQL and the load share all cores. On
 * two cores a second instance therefore gains only what one leaves idle. The table shows what it costs, for itself and for PostgreSQL.
 */
export async function measureInstances(databases: Databases): Promise<string> {
  const measurements: InstancesMeasurement[] = [];
  for (let round = 1; round <= ROUNDS; round += 1) {
    for (const instances of INSTANCES) {
      measurements.push(...(await measureSome(databases, instances)));
      process.stderr.write(`round ${round}: ${instances} on one PostgreSQL\n`);
    }
  }
  const summary = summarize(measurements);
  return `${formatTable(COLUMNS, summary)}\n\n${formatNeeds(summary)}`;
}

/** Calculates what more creates need: instances as with 64 connections to one, PostgreSQL as with the dearest row. */
function formatNeeds(summary: readonly InstancesMeasurement[]): string {
  const instanceUs = summary[0]?.cpuUsEach ?? Number.NaN;
  const databaseUs = Math.max(...summary.map(({ databaseCpuUsEach }) => databaseCpuUsEach));
  const logBytes = Math.max(...summary.map(({ logBytesEach }) => logBytesEach));
  return formatTable<number>(
    [
      ['creates per second', (creates) => creates.toLocaleString('en')],
      ['instances', (creates) => String(Math.ceil((creates * instanceUs) / 1_000_000 / MOST_BUSY))],
      ['their cores', (creates) => ((creates * instanceUs) / 1_000_000).toFixed(1)],
      ['cores of PostgreSQL', (creates) => ((creates * databaseUs) / 1_000_000).toFixed(1)],
      ['log MB/s', (creates) => ((creates * logBytes) / 1_000_000).toFixed(1)],
    ],
    NEEDED,
  );
}

/** The median of every figure, for each number of instances and connections. */
function summarize(all: readonly InstancesMeasurement[]): InstancesMeasurement[] {
  return groupsOf(all, ({ instances, connections }) => `${instances}/${connections}`).map((rounds) => {
    const names = Object.keys(rounds[0]) as (keyof InstancesMeasurement)[];
    const medians = names.map((name) => [name, median(rounds.map((round) => round[name]))]);
    return Object.fromEntries(medians) as InstancesMeasurement;
  });
}

/** Measures instances of the service on one PostgreSQL, all of which share all cores. */
async function measureSome(databases: Databases, count: number): Promise<InstancesMeasurement[]> {
  const place = { databases, count, cores: ALL_CORES };
  return withServers(SHIPPED.PostgreSQL, place, async (servers, database) => {
    const warmUp = await meter(servers, database, () => load(servers, 64, WARM_UP_SECONDS));
    const measured: InstancesMeasurement[] = [];
    for (const connections of CONNECTIONS) {
      let busyCores = Number.NaN;
      const metered = await meter(servers, database, async () => {
        const [cpuBefore, startedAt] = [cpuUsOfMachine(), performance.now()];
        const results = await load(servers, connections, SECONDS);
        busyCores = (cpuUsOfMachine() - cpuBefore) / 1000 / (performance.now() - startedAt);
        return results;
      });
      measured.push({ instances: count, connections, ...metered, busyCores });
    }
    const all = [warmUp, ...measured].reduce((sum, { answered }) => sum + answered, 0);
    await assertStored(database, all);
    return measured;
  });
}

/** The same connections from the same generators, however many instances there are to share them. */
function load(
  servers: readonly ServerProcess[],
  connections: number,
  seconds: number,
): Promise<LoadResult[]> {
  const targets = servers.flatMap((server) => Array<ServerProcess>(GENERATORS / servers.length).fill(server));
  return Promise.all(
    targets.map((server) =>
      createPlants(server, { connections: connections / GENERATORS, seconds, cores: ALL_CORES }),
    ),
  );
}

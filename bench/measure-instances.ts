import { assertStored, type Databases } from './databases.js';
import { SHIPPED } from './servers/contenders.js';
import { ALL_CORES, cpuUsOfMachine } from './machine.js';
import { createPlants, type LoadResult } from './load/load.js';
import { meter, type Metered } from './meter.js';
import type { ServerProcess } from './servers/server-process.js';
import { withServers } from './servers/with-servers.js';

/** What was measured of a number of instances at a number of connections in one round. */
export interface InstancesMeasurement extends Metered {
  readonly instances: number;
  readonly connections: number;
  /** Cores that were at work on average, for whomever. */
  readonly busyCores: number;
}

const CONNECTIONS = [64, 256];
const GENERATORS = 2;
const WARM_UP_SECONDS = 2;

/** Measures instances of the service on one PostgreSQL, all of which share all cores. */
export async function measureInstances(
  count: number,
  databases: Databases,
  seconds: number,
): Promise<InstancesMeasurement[]> {
  const place = { databases, count, cores: ALL_CORES };
  return withServers(SHIPPED.PostgreSQL, place, async (servers, database) => {
    const warmUp = await meter(servers, database, () => load(servers, 64, WARM_UP_SECONDS));
    const measured: InstancesMeasurement[] = [];
    for (const connections of CONNECTIONS) {
      let busyCores = Number.NaN;
      const metered = await meter(servers, database, async () => {
        const [cpuBefore, startedAt] = [cpuUsOfMachine(), performance.now()];
        const results = await load(servers, connections, seconds);
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

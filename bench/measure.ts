import { assertStored, type Databases } from './databases.js';
import type { Contender } from './servers/contenders.js';
import { SERVER_CORE } from './machine.js';
import { createPlants, type LoadResult, nextPlants, type Plants, readPlants } from './load/load.js';
import { meter } from './meter.js';
import type { ServerProcess } from './servers/server-process.js';
import type { Measurement } from './summary.js';
import { withServers } from './servers/with-servers.js';
import type { Load } from './load/wrk.js';

const CONNECTIONS = [1, 16, 64, 256];
/** What comes first to a server that has just started. */
const FIRST = { connections: 64, seconds: 5 };
const WARM_UP = { connections: 64, seconds: 2 };

/** Plants that are read, one after the other. */
const READ = 1000;

/** What is measured of a server, in this order; each reads what the first has created. */
export const OPERATIONS = {
  create: (server: ServerProcess, load: Load) => createPlants(server, load),
  read: (server: ServerProcess, load: Load, plants: Plants) =>
    readPlants(server, load, '/plants/ID', plants, 1),
  'page of 100': (server: ServerProcess, load: Load, plants: Plants) =>
    readPlants(server, load, '/plants?limit=100&after=ID', plants, 100),
} satisfies Record<string, (server: ServerProcess, load: Load, plants: Plants) => Promise<LoadResult>>;

export type Operation = keyof typeof OPERATIONS;

/** Measures a contender, on a core of its own, once for each operation and number of connections. */
export async function measure(
  contender: Contender,
  databases: Databases,
  seconds: number,
): Promise<Measurement[]> {
  const place = { databases, count: 1, cores: SERVER_CORE };
  return withServers(contender, place, async (servers, database) => {
    const plants = nextPlants(READ);
    const measured: Omit<Measurement, 'peakMb'>[] = [];
    for (const operation of contender.operations) {
      const load = async (how: Load) =>
        Promise.all(servers.map((server) => OPERATIONS[operation](server, how, plants)));
      const measureLoad = async (name: Measurement['operation'], how: Load) => {
        const metered = await meter(servers, database, () => load(how));
        measured.push({
          database: contender.database,
          contender: contender.name,
          operation: name,
          connections: how.connections,
          ...metered,
        });
      };
      if (operation === 'create') await measureLoad('first creates', FIRST);
      else await load(WARM_UP);
      for (const connections of CONNECTIONS) await measureLoad(operation, { connections, seconds });
    }
    const creates = measured.filter(({ operation }) => operation.includes('create'));
    await assertStored(
      database,
      creates.reduce((sum, { answered }) => sum + answered, 0),
    );
    const peakMb = Math.max(...servers.map((server) => server.peakMb()));
    return measured.map((measurement) => Object.assign(measurement, { peakMb }));
  });
}

import { assertStored } from './assert-stored.js';
import type { Contender } from './contenders.js';
import { SERVER_CORE } from './cores.js';
import type { Databases } from './databases.js';
import { createPlants } from './load.js';
import { meter } from './meter.js';
import type { Measurement } from './summary.js';
import { withServers } from './with-servers.js';

const CONNECTIONS = [1, 16, 64, 256];
const WARM_UP_SECONDS = 2;

/** Measures a contender, on a core of its own, once for each number of connections. */
export async function measure(
  contender: Contender,
  databases: Databases,
  seconds: number,
): Promise<Measurement[]> {
  const place = { databases, count: 1, cores: SERVER_CORE };
  return withServers(contender, place, async (servers, database) => {
    const load = async (connections: number, duration: number) =>
      Promise.all(servers.map((server) => createPlants(server, connections, duration)));
    const warmUp = await meter(servers, database, () => load(64, WARM_UP_SECONDS));
    const measured = [];
    for (const connections of CONNECTIONS) {
      const metered = await meter(servers, database, () => load(connections, seconds));
      measured.push({ database: contender.database, contender: contender.name, connections, ...metered });
    }
    const all = [warmUp, ...measured].reduce((sum, { created }) => sum + created, 0);
    await assertStored(database, all);
    const peakMb = Math.max(...servers.map((server) => server.peakMb()));
    return measured.map((measurement) => Object.assign(measurement, { peakMb }));
  });
}

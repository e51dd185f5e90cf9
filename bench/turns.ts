import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type DatabaseKind, type Databases, KINDS } from './databases.js';
import { type Cost, measureLoad, operationsOn } from './load.js';
import { type Contender, inFolder, NOTHING, type Operation, OPERATIONS, startServer } from './servers.js';

const ROUNDS = 6;
/** Turns of each contender in a round. */
const TURNS = 4;
const TURN = { connections: 64, seconds: 1 };
/** Until V8 has compiled what an operation needs. */
const WARM_UP = { connections: 64, seconds: 4 };

/** What an operation of a contender cost. */
export interface Measurement {
  readonly kind: DatabaseKind;
  readonly operation: Operation;
  readonly contender: string;
  /** The sums of the turns of each round. */
  readonly rounds: Cost[];
}

/**
 * Measures contenders side by side.
 *
 * In each round, new processes of all contenders start on empty databases. For each operation they warm up, and then take turns of a
 * second in alternating order, so that other load on the machine affects all of them. In the end, each database must contain exactly the
 * acknowledged creates.
 */
export async function takeTurns(
  databases: Databases,
  contenders: (kind: DatabaseKind) => readonly Contender[],
): Promise<Measurement[]> {
  const all = new Map<string, Measurement>();
  for (let round = 1; round <= ROUNDS; round += 1) {
    for (const kind of KINDS) {
      await inFolder(async (folder) => {
        await measureRound(databases, kind, contenders(kind), folder, (operation, contender, cost) => {
          const key = [kind, operation, contender].join();
          const measurement = all.get(key) ?? { kind, operation, contender, rounds: [] };
          measurement.rounds[round - 1] = add(measurement.rounds[round - 1], cost);
          all.set(key, measurement);
        });
      });
      process.stderr.write(`round ${round} of ${ROUNDS}: ${kind}\n`);
    }
  }
  return [...all.values()];
}

async function measureRound(
  databases: Databases,
  kind: DatabaseKind,
  contenders: readonly Contender[],
  folder: string,
  report: (operation: Operation, contender: string, cost: Cost) => void,
): Promise<void> {
  const entrants = [];
  for (const contender of contenders) {
    const own = join(folder, String(entrants.length));
    mkdirSync(own);
    const database = await databases.create(kind, own);
    const server = await startServer(contender, database.url, own);
    entrants.push({ contender, database, server, requests: operationsOn(server), created: 0 });
  }
  for (const operation of OPERATIONS) {
    const able = entrants.filter(({ contender }) => contender.operations.includes(operation));
    for (let turn = 0; turn <= TURNS; turn += 1) {
      for (const entrant of turn % 2 === 0 ? able : able.toReversed()) {
        const { contender, database, server, requests } = entrant;
        const cost = await measureLoad(server, database, turn === 0 ? WARM_UP : TURN, requests[operation]);
        if (operation === 'create') entrant.created += cost.latencies.length;
        if (turn > 0) report(operation, contender.name, cost);
      }
    }
  }
  for (const { contender, database, server, created } of entrants) {
    const stored = contender === NOTHING ? created : await database.countPlants();
    if (stored !== created)
      throw new Error(`${created} creates were acknowledged, but ${stored} are stored.`);
    await server.stop();
    await database.drop();
  }
}

function add(sum: Cost | undefined, cost: Cost): Cost {
  if (sum === undefined) return cost;
  return {
    seconds: sum.seconds + cost.seconds,
    cpuUs: sum.cpuUs + cost.cpuUs,
    databaseCpuUs: sum.databaseCpuUs + cost.databaseCpuUs,
    latencies: sum.latencies.concat(cost.latencies),
  };
}

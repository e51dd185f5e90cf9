/**
 * `npm run bench`: measures durable creates, reads and pages of this service against the limit of its stack and against a textbook service,
 * on SQLite and on PostgreSQL.
 *
 * Every round starts each contender in turn on an empty database, pinned to one core, with the load on another. One server
 * of PostgreSQL, with its default durability, serves the whole run; its processes are not pinned and share both cores.
 * Prints a table for each database and operation, and writes every measurement as JSON and a picture as SVG.
 * Options: `--rounds 3`, `--seconds 3`, `--only <part of "database: name">`, `--output <path without ending>`. Needs Linux
 * with two cores, `wrk` and `taskset`. `npm run bench:instances` compares one instance with two.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { assertStored, Databases } from './databases.js';
import { type Load, nextPlants, OPERATIONS } from './load.js';
import { machine, SERVER_CORE } from './machine.js';
import { meter } from './meter.js';
import { type Contender, CONTENDERS, withServers } from './servers.js';
import { drawChart, formatSummary, type Measurement, summarize } from './summary.js';

const CONNECTIONS = [1, 16, 64, 256];
/** What comes first to a server that has just started. */
const FIRST = { connections: 64, seconds: 5 };
const WARM_UP = { connections: 64, seconds: 2 };

/** Plants that are read, one after the other. */
const READ = 1000;

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '3' },
    only: { type: 'string', default: '' },
    output: { type: 'string', default: join(import.meta.dirname, 'result') },
  },
});

const measurements: Measurement[] = [];
const databases = new Databases();
try {
  for (let round = 1; round <= Number(options.rounds); round += 1) {
    for (const contender of CONTENDERS) {
      const label = `${contender.database}: ${contender.name}`;
      if (!label.includes(options.only)) continue;
      measurements.push(...(await measure(contender, Number(options.seconds))));
      process.stderr.write(`round ${round}: ${label}\n`);
    }
  }
  await report(measurements);
} finally {
  await databases.remove();
}

async function report(all: readonly Measurement[]): Promise<void> {
  const summary = summarize(all);
  process.stdout.write(`${formatSummary(summary)}\n`);
  const postgres = await databases.postgresSettings();
  writeFileSync(
    `${options.output}.json`,
    `${JSON.stringify({ machine, postgres, options, summary, measurements: all }, null, 2)}\n`,
  );
  writeFileSync(`${options.output}.svg`, drawChart(summary));
}

/** Measures a contender, on a core of its own, once for each operation and number of connections. */
async function measure(contender: Contender, seconds: number): Promise<Measurement[]> {
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

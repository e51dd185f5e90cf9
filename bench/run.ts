/**
 * `npm run bench`: measures durable creates of this service against the limit of its stack and against a textbook service.
 *
 * Every round starts each contender in turn on an empty database, pinned to one core, with the load on another.
 * Prints a table, and writes every measurement as JSON and a picture as SVG.
 * Options: `--rounds 3`, `--seconds 3`, `--only <part of a name>`, `--output <path without ending>`. Needs Linux with two cores, `wrk` and `taskset`.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import Database from 'better-sqlite3';
import { type Contender, CONTENDERS } from './contenders.js';
import { createPlants } from './load.js';
import { type Measurement, summarize } from './summary.js';
import { drawChart } from './chart.js';
import { formatTable } from './table.js';
import { startServer, type ServerProcess } from './server-process.js';

const CONNECTIONS = [1, 16, 64, 256];
const WARM_UP_SECONDS = 2;

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '3' },
    only: { type: 'string', default: '' },
    output: { type: 'string', default: join(import.meta.dirname, 'result') },
  },
});

const measurements: Measurement[] = [];
for (let round = 1; round <= Number(options.rounds); round += 1) {
  for (const contender of CONTENDERS.filter(({ name }) => name.includes(options.only))) {
    measurements.push(...(await measure(contender)));
    process.stderr.write(`round ${round}: ${contender.name}\n`);
  }
}
report(measurements);

async function measure(contender: Contender): Promise<Measurement[]> {
  const folder = mkdtempSync(join(tmpdir(), 'plant-store-bench-'));
  try {
    const server = await startServer(contender, folder);
    let created = (await createPlants(server, 64, WARM_UP_SECONDS)).created;
    const measured: Omit<Measurement, 'peakMb'>[] = [];
    for (const connections of CONNECTIONS) {
      const cpuBefore = server.cpuUs();
      const result = await createPlants(server, connections, Number(options.seconds));
      created += result.created;
      measured.push({
        contender: contender.name,
        connections,
        createsPerSecond: (result.created * 1_000_000) / result.durationUs,
        cpuUsPerCreate: (server.cpuUs() - cpuBefore) / result.created,
        p50Us: result.p50Us,
        p99Us: result.p99Us,
      });
    }
    const peakMb = server.peakMb();
    await server.stop();
    assertStored(server, created);
    return measured.map((measurement) => Object.assign(measurement, { peakMb }));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Whoever answers 200 has to have stored the plant; what was in flight when the load ended may be there too. */
function assertStored({ database }: ServerProcess, created: number): void {
  const file = new Database(database, { readonly: true });
  const { stored } = file.prepare<[], { stored: number }>('SELECT count(*) AS stored FROM plants').get() ?? {
    stored: 0,
  };
  file.close();
  if (stored < created) throw new Error(`${created} creates were acknowledged, but ${stored} are stored.`);
}

function report(all: readonly Measurement[]): void {
  const summary = summarize(all);
  process.stdout.write(`${formatTable(summary)}\n`);
  const machine = { node: process.version, cpu: cpus()[0]?.model, cores: cpus().length };
  writeFileSync(
    `${options.output}.json`,
    `${JSON.stringify({ machine, options, summary, measurements: all }, null, 2)}\n`,
  );
  writeFileSync(`${options.output}.svg`, drawChart(summary));
}

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
import { drawChart } from './chart.js';
import { CONTENDERS } from './servers/contenders.js';
import { Databases } from './databases.js';
import { machine } from './machine.js';
import { measure } from './measure.js';
import { type Measurement, summarize } from './summary.js';
import { formatSummary } from './table.js';

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
      measurements.push(...(await measure(contender, databases, Number(options.seconds))));
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

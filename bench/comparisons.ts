import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import type { Databases } from './databases.js';
import type { Cost } from './load.js';
import { LIMIT, NOTHING, service, TEXTBOOK } from './servers.js';
import { formatTable, median, percentile } from './table.js';
import { type Measurement, takeTurns } from './turns.js';

type Figure = (cost: Cost) => number;

const cpuUs: Figure = (cost) => cost.cpuUs / cost.latencies.length;
const databaseCpuUs: Figure = (cost) => cost.databaseCpuUs / cost.latencies.length;

/** Compares the service with the limit of its stack, its framework alone, and a textbook service. */
export async function compareWithLimit(databases: Databases): Promise<string> {
  const all = await takeTurns(databases, (kind) => [
    LIMIT[kind],
    NOTHING,
    service(),
    { ...service('the service, `CHANGES_KEPT=0`', { CHANGES_KEPT: '0' }), operations: ['create'] },
    { ...service('the service, `SEARCH=on`', { SEARCH: 'on' }), operations: ['create'] },
    TEXTBOOK,
  ]);
  const rows = all.map((one) => [
    `${one.operation}, ${one.kind}`,
    one.contender,
    middle(cpuUs, one).toFixed(1),
    ratio(cpuUs, one, LIMIT[one.kind].name, all),
    ratio(cpuUs, one, NOTHING.name, all),
    middle(databaseCpuUs, one).toFixed(1),
    middle(({ latencies, seconds }) => latencies.length / seconds, one).toFixed(0),
    middle(({ latencies }) => percentile(latencies, 50), one).toFixed(1),
    middle(({ latencies }) => percentile(latencies, 99), one).toFixed(1),
  ]);
  return formatTable([
    ['', 'server', 'CPU µs', '× limit', '× NestJS', 'database CPU µs', 'per second', 'p50 ms', 'p99 ms'],
    ...rows,
  ]);
}

/** With more than this times the CPU, the service is worse. */
const WORSE = 1.03;

/** Compares the service with that of another checkout, which is built first if it has changed; fails if it is worse. */
export async function compareWith(path: string, databases: Databases): Promise<string> {
  const checkout = resolve(path);
  execFileSync('npm', ['run', 'prestart'], { cwd: checkout, stdio: ['ignore', 'ignore', 'inherit'] });
  const [here, there] = ['this checkout', path];
  const all = await takeTurns(databases, () => [service(here), service(there, {}, checkout)]);
  const ours = all.filter(({ contender }) => contender === here);
  const rows = ours.map((one) => [
    `${one.operation}, ${one.kind}`,
    middle(cpuUs, one).toFixed(1),
    ratio(cpuUs, one, there, all),
    one.kind === 'SQLite' ? '' : ratio(databaseCpuUs, one, there, all),
  ]);
  const table = formatTable([['', 'CPU µs', `× ${path}`, 'database CPU'], ...rows]);
  const isWorse = ours.some((one) => median(ratios(cpuUs, one, there, all)) > WORSE);
  if (isWorse) process.exitCode = 1;
  return `${table}\n\n${isWorse ? 'Something' : 'Nothing'} takes over 3 % more CPU.`;
}

function middle(figure: Figure, { rounds }: Measurement): number {
  return median(rounds.map(figure));
}

/** The median and the range of the ratios. */
function ratio(...args: Parameters<typeof ratios>): string {
  const values = ratios(...args);
  if (values.length === 0) return '';
  const range = [Math.min(...values), Math.max(...values)].map((value) => value.toFixed(2));
  return `${median(values).toFixed(2)} (${range.join('-')})`;
}

/** What a measurement takes in each round, divided by what another contender takes; nothing if that one cannot do it. */
function ratios(
  figure: Figure,
  { kind, operation, rounds }: Measurement,
  contender: string,
  all: readonly Measurement[],
): number[] {
  const other = all.find(
    (one) => one.kind === kind && one.operation === operation && one.contender === contender,
  );
  return rounds.flatMap((cost, round) => {
    const beside = other?.rounds[round];
    return beside === undefined ? [] : [figure(cost) / figure(beside)];
  });
}

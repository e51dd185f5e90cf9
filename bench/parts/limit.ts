import { assertStored, type Databases, KINDS } from '../databases.js';
import { type Load, nextPlants, OPERATIONS } from '../load.js';
import { SERVER_CORE } from '../machine.js';
import { meter, type Metered } from '../meter.js';
import { type Contender, LIMIT, type Operation, OTHERS, SHIPPED, withServers } from '../servers.js';
import { type Column, formatTable, groupsOf, median } from '../table.js';

/** How often the service and the limit take turns. The others, and other numbers of connections, are in the first rounds only. */
const ROUNDS = 6;
const ROUNDS_OF_OTHERS = 2;

const CONNECTIONS = 64;
const OTHER_CONNECTIONS = [1, 256];
const SECONDS = 2;
/** What comes first to a server that has just started. */
const FIRST = { connections: CONNECTIONS, seconds: 3 };
/** Before each operation, until V8 has compiled what it needs: a NestJS service has many times the code of the limit. */
const WARM_UP = { connections: CONNECTIONS, seconds: 4 };

/** Plants that are read, one after the other. */
const READ = 300;

/** At most so many times the CPU and the 99th percentile of the limit. */
const GOALS: Readonly<Record<Operation, { readonly cpu: number; readonly p99: number }>> = {
  create: { cpu: 2.8, p99: 1.5 },
  read: { cpu: 2, p99: 2.5 },
  'page of 100': { cpu: 2.2, p99: 2.5 },
};

/** What was measured of a contender at a number of connections in a round. */
interface Measurement extends Metered {
  readonly contender: Contender;
  /** The first creates are those of the first three seconds after a start. */
  readonly operation: Operation | 'create in the first 3 s';
  readonly connections: number;
  readonly peakMb: number;
}

/** The medians over all rounds. */
interface Summary extends Measurement {
  /** CPU and 99th percentile divided by those of the limit in the same round; NaN where the limit was not measured. */
  readonly cpuRatio: number;
  readonly p99Ratio: number;
  /** The range of the CPU of the rounds, in percent of its median. */
  readonly noisePercent: number;
}

/**
 * Compares durable creates, reads and pages of the service with the limit of its stack and a textbook service.
 *
 * Each round starts the contenders in turn on an empty database, pinned to a core, with the load on another. One server of PostgreSQL,
 * with its default durability, serves the whole run; its processes are not pinned and share both cores.
 */
export async function compareWithLimit(databases: Databases): Promise<string> {
  const measurements: Measurement[] = [];
  for (let round = 1; round <= ROUNDS; round += 1) {
    const withOthers = round <= ROUNDS_OF_OTHERS;
    for (const kind of KINDS) {
      const compared = [LIMIT[kind], SHIPPED[kind]];
      for (const contender of withOthers ? [...compared, ...OTHERS[kind]] : compared) {
        const others = withOthers && contender === SHIPPED[kind] ? OTHER_CONNECTIONS : [];
        measurements.push(...(await measure(databases, contender, [CONNECTIONS, ...others])));
        process.stderr.write(`round ${round}: ${kind}: ${contender.name}\n`);
      }
    }
  }
  return formatSummary(summarize(measurements));
}

async function measure(
  databases: Databases,
  contender: Contender,
  connections: readonly number[],
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
        measured.push({ contender, operation: name, connections: how.connections, ...metered });
      };
      if (operation === 'create') await measureLoad('create in the first 3 s', FIRST);
      await load(WARM_UP);
      for (const number of connections)
        await measureLoad(operation, { connections: number, seconds: SECONDS });
    }
    const creates = measured.filter(({ operation }) => operation.includes('create'));
    const created = creates.reduce((sum, { answered }) => sum + answered, 0);
    if (contender.stores) await assertStored(database, created);
    const peakMb = Math.max(...servers.map((server) => server.peakMb()));
    return measured.map((measurement) => Object.assign(measurement, { peakMb }));
  });
}

function keyOf({ contender, operation, connections }: Measurement): string {
  return [contender.database, operation, contender.name, connections].join('/');
}

function summarize(measurements: readonly Measurement[]): Summary[] {
  return groupsOf(measurements, keyOf).map((rounds) => {
    const [first] = rounds;
    const limit = keyOf({ ...first, contender: LIMIT[first.contender.database] });
    const limits = measurements.filter((one) => keyOf(one) === limit);
    const ratio = (of: (one: Measurement) => number) =>
      median(rounds.map((one, round) => of(one) / (limits[round] ? of(limits[round]) : Number.NaN)));
    const middle = (of: (one: Measurement) => number) => median(rounds.map(of));
    const cpu = rounds.map(({ cpuUsEach }) => cpuUsEach);
    return Object.assign(
      { ...first },
      {
        perSecond: middle(({ perSecond }) => perSecond),
        cpuUsEach: median(cpu),
        databaseCpuUsEach: middle(({ databaseCpuUsEach }) => databaseCpuUsEach),
        p50Us: middle(({ p50Us }) => p50Us),
        p99Us: middle(({ p99Us }) => p99Us),
        peakMb: Math.max(...rounds.map(({ peakMb }) => peakMb)),
        cpuRatio: ratio(({ cpuUsEach }) => cpuUsEach),
        p99Ratio: ratio(({ p99Us }) => p99Us),
        noisePercent: ((Math.max(...cpu) - Math.min(...cpu)) / median(cpu)) * 100,
      },
    );
  });
}

const COLUMNS: readonly Column<Summary>[] = [
  ['', ({ contender }) => contender.name],
  ['connections', ({ connections }) => String(connections)],
  ['per second', ({ perSecond }) => perSecond.toFixed(0)],
  ['p50 ms', ({ p50Us }) => (p50Us / 1000).toFixed(2)],
  ['p99 ms', ({ p99Us }) => (p99Us / 1000).toFixed(2)],
  ['p99 × limit', ({ p99Ratio }) => times(p99Ratio)],
  ['CPU µs', ({ cpuUsEach }) => cpuUsEach.toFixed(1)],
  ['CPU × limit', ({ cpuRatio }) => times(cpuRatio)],
  ['noise %', ({ noisePercent }) => noisePercent.toFixed(0)],
  ['peak MB', ({ peakMb }) => peakMb.toFixed(0)],
];

/** For a database with processes of its own. */
const DATABASE_COLUMNS: readonly Column<Summary>[] = [
  ['database CPU µs', ({ databaseCpuUsEach }) => databaseCpuUsEach.toFixed(1)],
];

function times(ratio: number): string {
  return Number.isNaN(ratio) ? '' : ratio.toFixed(2);
}

/** The goals and what came of them, then a table for each operation and database. */
function formatSummary(summaries: readonly Summary[]): string {
  const tables = groupsOf(summaries, ({ contender, operation }) => `${operation}/${contender.database}`).map(
    (rows) => {
      const [{ contender, operation }] = rows;
      const columns = contender.database === 'SQLite' ? COLUMNS : [...COLUMNS, ...DATABASE_COLUMNS];
      return `**${operation}, ${contender.database}**\n\n${formatTable(columns, rows)}`;
    },
  );
  return [formatGoals(summaries), ...tables].join('\n\n');
}

function formatGoals(summaries: readonly Summary[]): string {
  const cell = (goal: number, kind: string, operation: string, ratioOf: (one: Summary) => number) => {
    const found = summaries.find(
      (one) =>
        one.contender.name === SHIPPED.SQLite.name &&
        one.contender.database === kind &&
        one.operation === operation &&
        one.connections === CONNECTIONS,
    );
    const ratio = found === undefined ? Number.NaN : ratioOf(found);
    return ratio <= goal ? ratio.toFixed(2) : `**${ratio.toFixed(2)}**`;
  };
  const columns: Column<[string, (typeof GOALS)[Operation]]>[] = [
    ['× limit, the service', ([operation]) => operation],
    ['CPU, at most', ([, { cpu }]) => cpu.toFixed(1)],
    ...KINDS.map((kind): (typeof columns)[number] => [
      kind,
      ([operation, { cpu }]) => cell(cpu, kind, operation, ({ cpuRatio }) => cpuRatio),
    ]),
    ['p99, at most', ([, { p99 }]) => p99.toFixed(1)],
    ...KINDS.map((kind): (typeof columns)[number] => [
      kind,
      ([operation, { p99 }]) => cell(p99, kind, operation, ({ p99Ratio }) => p99Ratio),
    ]),
  ];
  return `${formatTable(columns, Object.entries(GOALS))}\n\nA goal that was missed is **bold**.`;
}

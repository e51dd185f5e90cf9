import { LIMIT } from './contenders.js';
import type { DatabaseKind } from './databases.js';
import { median } from './median.js';
import type { Metered } from './meter.js';

/** What was measured of one contender at one number of connections in one round. */
export interface Measurement extends Metered {
  readonly database: DatabaseKind;
  readonly contender: string;
  readonly connections: number;
  readonly peakMb: number;
}

/** The medians over all rounds. */
export interface Summary extends Omit<Measurement, 'created'> {
  /**
   * CPU per create divided by that of the limit on the same database, the median of the ratios within each round; NaN
   * without the limit.
   */
  readonly ratioToLimit: number;
  /** How far the rounds lie apart: the range of CPU per create, in percent of its median. */
  readonly noisePercent: number;
}

/** Puts the rounds together: one line for each contender and number of connections. */
export function summarize(measurements: readonly Measurement[]): Summary[] {
  const groups = Object.values(
    Object.groupBy(measurements, ({ database, contender, connections }) =>
      [database, contender, connections].join('/'),
    ),
  );
  return groups.flatMap((rounds = []) => {
    const [first] = rounds;
    return first === undefined ? [] : [summarizeRounds(first, rounds, measurements)];
  });
}

function summarizeRounds(
  { database, contender, connections }: Measurement,
  rounds: readonly Measurement[],
  measurements: readonly Measurement[],
): Summary {
  const limits = measurements.filter(
    (one) =>
      one.database === database && one.contender === LIMIT[database].name && one.connections === connections,
  );
  const cpu = rounds.map(({ cpuUsPerCreate }) => cpuUsPerCreate);
  return {
    database,
    contender,
    connections,
    createsPerSecond: median(rounds.map(({ createsPerSecond }) => createsPerSecond)),
    cpuUsPerCreate: median(cpu),
    ratioToLimit: median(cpu.map((value, round) => value / (limits[round]?.cpuUsPerCreate ?? Number.NaN))),
    databaseCpuUsPerCreate: median(rounds.map(({ databaseCpuUsPerCreate }) => databaseCpuUsPerCreate)),
    createsPerCommit: median(rounds.map(({ createsPerCommit }) => createsPerCommit)),
    p50Us: median(rounds.map(({ p50Us }) => p50Us)),
    p99Us: median(rounds.map(({ p99Us }) => p99Us)),
    peakMb: median(rounds.map(({ peakMb }) => peakMb)),
    noisePercent: ((Math.max(...cpu) - Math.min(...cpu)) / median(cpu)) * 100,
  };
}

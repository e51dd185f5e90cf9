import { LIMIT } from './servers/contenders.js';
import type { DatabaseKind } from './databases.js';
import type { Operation } from './measure.js';
import type { Metered } from './meter.js';

/** What was measured of one contender at one number of connections in one round. */
export interface Measurement extends Metered {
  readonly database: DatabaseKind;
  readonly contender: string;
  /** The first creates are those of the first five seconds after a start. */
  readonly operation: Operation | 'first creates';
  readonly connections: number;
  readonly peakMb: number;
}

/** The medians over all rounds. */
export interface Summary extends Omit<Measurement, 'answered'> {
  /**
   * CPU of one divided by that of the limit on the same database, the median of the ratios within each round; NaN
   * without the limit.
   */
  readonly ratioToLimit: number;
  /** How far the rounds lie apart: the range of the CPU of one, in percent of its median. */
  readonly noisePercent: number;
}

/** Puts the rounds together: one line for each contender, operation and number of connections. */
export function summarize(measurements: readonly Measurement[]): Summary[] {
  const groups = Object.values(
    Object.groupBy(measurements, ({ database, operation, contender, connections }) =>
      [database, operation, contender, connections].join('/'),
    ),
  );
  return groups.flatMap((rounds = []) => {
    const [first] = rounds;
    return first === undefined ? [] : [summarizeRounds(first, rounds, measurements)];
  });
}

function summarizeRounds(
  { database, operation, contender, connections }: Measurement,
  rounds: readonly Measurement[],
  measurements: readonly Measurement[],
): Summary {
  const limits = measurements.filter(
    (one) =>
      one.database === database &&
      one.contender === LIMIT[database].name &&
      one.operation === operation &&
      one.connections === connections,
  );
  const cpu = rounds.map(({ cpuUsEach }) => cpuUsEach);
  return {
    database,
    contender,
    operation,
    connections,
    perSecond: median(rounds.map(({ perSecond }) => perSecond)),
    cpuUsEach: median(cpu),
    ratioToLimit: median(cpu.map((value, round) => value / (limits[round]?.cpuUsEach ?? Number.NaN))),
    databaseCpuUsEach: median(rounds.map(({ databaseCpuUsEach }) => databaseCpuUsEach)),
    writesPerCommit: median(rounds.map(({ writesPerCommit }) => writesPerCommit)),
    p50Us: median(rounds.map(({ p50Us }) => p50Us)),
    p99Us: median(rounds.map(({ p99Us }) => p99Us)),
    peakMb: median(rounds.map(({ peakMb }) => peakMb)),
    noisePercent: ((Math.max(...cpu) - Math.min(...cpu)) / median(cpu)) * 100,
  };
}

/** The middle of some values. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const [low = Number.NaN, high = Number.NaN] = [sorted[middle - 1], sorted[middle]];
  return sorted.length % 2 === 0 ? (low + high) / 2 : high;
}

import { LIMIT } from './contenders.js';

/** What was measured of one contender at one number of connections in one round. */
export interface Measurement {
  readonly contender: string;
  readonly connections: number;
  readonly createsPerSecond: number;
  /** User and system time of the server process. */
  readonly cpuUsPerCreate: number;
  readonly p50Us: number;
  readonly p99Us: number;
  readonly peakMb: number;
}

/** The medians over all rounds. */
export interface Summary extends Measurement {
  /** CPU per create divided by that of the limit, the median of the ratios within each round; NaN without the limit. */
  readonly ratioToLimit: number;
  /** How far the rounds lie apart: the range of CPU per create, in percent of its median. */
  readonly noisePercent: number;
}

/** Puts the rounds together: one line for each contender and number of connections. */
export function summarize(measurements: readonly Measurement[]): Summary[] {
  const groups = Object.values(
    Object.groupBy(measurements, ({ contender, connections }) => `${contender}/${connections}`),
  );
  return groups.map((rounds = []) => {
    const [{ contender, connections } = { contender: '', connections: 0 }] = rounds;
    const limits = measurements.filter(
      (one) => one.contender === LIMIT.name && one.connections === connections,
    );
    const cpu = rounds.map(({ cpuUsPerCreate }) => cpuUsPerCreate);
    return {
      contender,
      connections,
      createsPerSecond: median(rounds.map(({ createsPerSecond }) => createsPerSecond)),
      cpuUsPerCreate: median(cpu),
      ratioToLimit: median(cpu.map((value, round) => value / (limits[round]?.cpuUsPerCreate ?? Number.NaN))),
      p50Us: median(rounds.map(({ p50Us }) => p50Us)),
      p99Us: median(rounds.map(({ p99Us }) => p99Us)),
      peakMb: median(rounds.map(({ peakMb }) => peakMb)),
      noisePercent: ((Math.max(...cpu) - Math.min(...cpu)) / median(cpu)) * 100,
    };
  });
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const [low = Number.NaN, high = Number.NaN] = [sorted[middle - 1], sorted[middle]];
  return sorted.length % 2 === 0 ? (low + high) / 2 : high;
}

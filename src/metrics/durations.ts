import { Histogram, type HistogramConfiguration } from '@prometheus-io/client';
import type { Labels } from './meter.js';

/** The longest duration of each bucket in seconds. Few, because every operation has all of them. */
const BOUNDS = [0.002, 0.01, 0.05, 0.25, 1] as const;

/**
 * How often something took how long.
 *
 * Adding a duration takes 0.03 µs. The client's own histogram takes 0.8, as much as all that metrics may cost a request.
 */
export class Durations {
  /** How many each bucket has; the last one is of those that are longer than all bounds. */
  readonly counts: number[] = [...BOUNDS.map(() => 0), 0];
  sumSeconds = 0;

  add(milliseconds: number): void {
    const seconds = milliseconds / 1000;
    let bucket = 0;
    while (seconds > (BOUNDS[bucket] ?? Infinity)) bucket += 1;
    this.counts[bucket] = (this.counts[bucket] ?? 0) + 1;
    this.sumSeconds += seconds;
  }
}

/** A histogram of what is counted outside of the client. */
export class DurationHistogram extends Histogram<string> {
  constructor(
    private readonly description: HistogramConfiguration<string>,
    private readonly read: () => Iterable<readonly [Labels, Durations]>,
  ) {
    super(description);
  }

  /** What the registry asks a histogram for, in place of `get()`. */
  getForPromString() {
    const { name, help } = this.description;
    const values = [...this.read()].flatMap(([labels, { counts, sumSeconds }]) => {
      let count = 0;
      const buckets = counts.map((added, bucket) => {
        const le: Labels = { le: BOUNDS[bucket] ?? '+Inf', ...labels };
        return { metricName: `${name}_bucket`, labels: le, value: (count += added) };
      });
      return buckets.concat(
        { metricName: `${name}_sum`, labels, value: sumSeconds },
        { metricName: `${name}_count`, labels, value: count },
      );
    });
    return { name, help, type: 'histogram', values };
  }
}

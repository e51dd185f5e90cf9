import type { Channel } from 'node:diagnostics_channel';
import {
  Counter,
  type CounterConfiguration,
  Gauge,
  type GaugeConfiguration,
  Histogram,
  Registry,
} from '@prometheus-io/client';

/** A value, values by their labels, or none for the time being. */
type Reading = number | readonly (readonly [Readonly<Record<string, string>>, number])[] | undefined;

/** The longest duration of each bucket in seconds. Few, because every operation has all of them. */
const BUCKETS = [0.002, 0.01, 0.05, 0.25, 1];

/** The metrics of the service. */
export class Meter {
  readonly registry = new Registry();
  private readonly registers = [this.registry];
  private readonly ends: (() => void)[] = [];

  /** Adds what goes up and down, and is read at a scrape. */
  gauge(description: GaugeConfiguration<string>, read: () => Reading | Promise<Reading>): void {
    const gauge = new Gauge({ ...description, registers: this.registers });
    const collect = async () => {
      const reading = await read();
      if (reading === undefined) gauge.remove();
      else if (typeof reading === 'number') gauge.set(reading);
      else for (const [labels, value] of reading) gauge.set(labels, value);
    };
    Object.assign(gauge, { collect });
  }

  /** Adds what only goes up. */
  counter(description: CounterConfiguration<string>): Counter<string> {
    return new Counter({ ...description, registers: this.registers });
  }

  /** Adds durations in seconds. */
  histogram(name: string, help: string, labelNames: string[] = []): Histogram<string> {
    return new Histogram({ name, help, labelNames, buckets: BUCKETS, registers: this.registers });
  }

  /** Hears what the service tells on a channel, until `stop`. */
  listen(channel: Channel, hear: (message: never) => void): void {
    const listener = hear as (message: unknown) => void;
    channel.subscribe(listener);
    this.ends.push(() => channel.unsubscribe(listener));
  }

  stop(): void {
    for (const end of this.ends) end();
  }
}

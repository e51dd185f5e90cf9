import type { Channel } from 'node:diagnostics_channel';
import { Counter, Gauge, type GaugeConfiguration, Histogram, Registry } from '@prometheus-io/client';

/** The longest duration of each bucket in seconds. Few, because every operation has all of them. */
const BUCKETS = [0.002, 0.01, 0.05, 0.25, 1];

/** The metrics of one service, and what they listen to. */
export class Meter {
  readonly registry = new Registry();
  private readonly registers = [this.registry];
  private readonly ends: (() => void)[] = [];

  /** Adds what goes up and down; `read` is called at a scrape, and returns undefined for no value. */
  gauge(name: string, help: string, read: () => number | undefined | Promise<number | undefined>): void {
    this.labelledGauge({
      name,
      help,
      async collect() {
        const value = await read();
        if (value === undefined) this.remove();
        else this.set(value);
      },
    });
  }

  labelledGauge(configuration: GaugeConfiguration<string>): Gauge<string> {
    return new Gauge({ ...configuration, registers: this.registers });
  }

  /** Adds what only goes up; `collect` is called at a scrape. */
  counter(
    name: string,
    help: string,
    labelNames: string[] = [],
    collect?: (counter: Counter<string>) => void,
  ): Counter<string> {
    const counter: Counter<string> = new Counter({
      name,
      help,
      labelNames,
      registers: this.registers,
      ...(collect && { collect: () => collect(counter) }),
    });
    return counter;
  }

  /** Adds durations in seconds. */
  histogram(name: string, help: string, labelNames: string[] = []): Histogram<string> {
    return new Histogram({ name, help, labelNames, buckets: BUCKETS, registers: this.registers });
  }

  /** Calls `hear` with what is published on a channel, until `stop`. */
  listen(channel: Channel, hear: (message: never) => void): void {
    const listener = hear as (message: unknown) => void;
    channel.subscribe(listener);
    this.ends.push(() => channel.unsubscribe(listener));
  }

  stop(): void {
    for (const end of this.ends) end();
  }
}

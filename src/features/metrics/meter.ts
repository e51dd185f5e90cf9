import type { Channel } from 'node:diagnostics_channel';
import { Counter, Gauge, type GaugeConfiguration, Histogram, Registry } from '@prometheus-io/client';
import { sharedWithTimeout } from '../../kernel/database/timeout.js';
import type { Reading } from '../../kernel/logging/gauge.decorator.js';

/** The longest duration of each bucket in seconds. Few, because every operation has all of them. */
const BUCKETS = [0.002, 0.01, 0.05, 0.25, 1];

/** The metrics of one service, and what they listen to. */
export class Meter {
  readonly registry = new Registry();
  private readonly registers = [this.registry];
  private readonly ends: (() => void)[] = [];

  /**
   * Adds a gauge. A scrape waits at most a second for `read`, and concurrent scrapes share a call, so that they do not pile up
   * before a slow database.
   *
   * @param otherwise the value when `read` fails or is late; by default none.
   */
  gauge(
    name: string,
    help: string,
    read: () => Reading | Promise<Reading>,
    { label, otherwise }: { readonly label?: string | undefined; readonly otherwise?: () => Reading } = {},
  ): void {
    const readOnce = sharedWithTimeout(async () => read());
    this.add({
      name,
      help,
      labelNames: label === undefined ? [] : [label],
      async collect() {
        const reading = await readOnce().catch(() => otherwise?.());
        this.reset();
        if (typeof reading === 'number') this.set(reading);
        else if (label === undefined) this.remove();
        else for (const [value, count] of Object.entries(reading ?? {})) this.set({ [label]: value }, count);
      },
    });
  }

  /** Adds labels that never change, as a gauge that is always 1. */
  info(name: string, help: string, labels: Readonly<Record<string, string>>): void {
    this.add({ name, help, labelNames: Object.keys(labels) }).set(labels, 1);
  }

  /** Adds a counter; `collect` is called at each scrape. */
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

  /** Adds a histogram of durations in seconds. */
  histogram(name: string, help: string, labelNames: string[] = []): Histogram<string> {
    return new Histogram({ name, help, labelNames, buckets: BUCKETS, registers: this.registers });
  }

  /** Calls `hear` with each message of a channel, until `stop()`. */
  listen(channel: Channel, hear: (message: never) => void): void {
    const listener = hear as (message: unknown) => void;
    channel.subscribe(listener);
    this.ends.push(() => channel.unsubscribe(listener));
  }

  stop(): void {
    for (const end of this.ends) end();
  }

  private add(configuration: GaugeConfiguration<string>): Gauge<string> {
    return new Gauge({ ...configuration, registers: this.registers });
  }
}

import type { Channel } from 'node:diagnostics_channel';
import { Counter, Gauge, Registry } from '@prometheus-io/client';
import { DurationHistogram, type Durations } from './durations.js';

export type Labels = Readonly<Record<string, string | number>>;

/** A value, values by their labels, or none for the time being. */
type Reading = number | Iterable<readonly [Labels, number]> | undefined;

/** What a metric is called, and what it says in one sentence. */
export interface Description {
  readonly name: string;
  readonly help: string;
  readonly labelNames?: string[];
}

/** The metrics of the service. Each is read at a scrape; until then the service only adds up numbers. */
export class Meter {
  readonly registry = new Registry();
  private readonly registers = [this.registry];
  private readonly ends: (() => void)[] = [];

  /** Adds what goes up and down. */
  gauge(description: Description, read: () => Reading | Promise<Reading>): void {
    const gauge = new Gauge({ ...description, registers: this.registers });
    const collect = async () => {
      const samples = samplesOf(await read());
      if (samples.length === 0) gauge.remove();
      for (const [labels, value] of samples) gauge.set(labels, value);
    };
    Object.assign(gauge, { collect });
  }

  /** Adds what only goes up; `read` returns what it has come to. */
  counter(description: Description, read: () => Reading): void {
    const counter = new Counter({ ...description, registers: this.registers });
    const collect = () => {
      counter.reset();
      for (const [labels, value] of samplesOf(read())) counter.inc(labels, value);
    };
    Object.assign(counter, { collect });
  }

  /** Adds durations, which have labels of their own or none. */
  histogram(description: Description, read: () => Iterable<readonly [Labels, Durations]>): void {
    this.registry.registerMetric(new DurationHistogram({ ...description, registers: this.registers }, read));
  }

  /** Hears what the service tells on a channel, until `stop`. */
  listen(channel: Channel, hear: (message: never) => void): void {
    const listener = hear as (message: unknown) => void;
    channel.subscribe(listener);
    this.beforeStop(() => channel.unsubscribe(listener));
  }

  /** Has something done at `stop`. */
  beforeStop(end: () => void): void {
    this.ends.push(end);
  }

  stop(): void {
    for (const end of this.ends) end();
  }
}

function samplesOf(reading: Reading): (readonly [Labels, number])[] {
  if (reading === undefined) return [];
  return typeof reading === 'number' ? [[{}, reading]] : [...reading];
}

/** Values by one label. */
export function by(label: string, values: Iterable<readonly [string | number, number]>) {
  return Array.from(values, ([name, value]) => [{ [label]: name }, value] as const);
}

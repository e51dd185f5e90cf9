import { DiscoveryService } from '@nestjs/core';

/** A metric that goes up and down. */
export interface GaugeOptions {
  readonly name: string;
  readonly help: string;
  /** The name of its label, for a gauge with several values. */
  readonly label?: string;
}

/** The value of a gauge: a number, a number for each value of its label, or undefined for none. */
export type Reading = number | Readonly<Record<string, number>> | undefined;

/**
 * Makes a method of a provider a metric, read at each scrape. It has no value if the method throws. Without the metrics feature,
 * nothing calls it.
 */
export const Gauge = DiscoveryService.createDecorator<GaugeOptions>();

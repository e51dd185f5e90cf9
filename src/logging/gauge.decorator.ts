import { DiscoveryService } from '@nestjs/core';

/** A metric of a state: what goes up and down. */
export interface GaugeOptions {
  readonly name: string;
  readonly help: string;
  /** If it has several values, the name of the label that tells them apart. */
  readonly label?: string;
}

/** What a gauge reads: a number, one for each value of its label, or undefined without a value. */
export type Reading = number | Readonly<Record<string, number>> | undefined;

/** Makes a method of a provider a metric, which is read when somebody asks for all. Without the metrics, nothing calls it. */
export const Gauge = DiscoveryService.createDecorator<GaugeOptions>();

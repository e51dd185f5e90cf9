import { collectDefaultMetrics } from '@prometheus-io/client';
import type { DatabaseSettings } from '../config/settings.js';
import { serviceVersion } from '../config/service-version.js';
import type { Meter } from './meter.js';

/** Measures the process, under the names that other programs on Node.js have for the same, and tells what runs in it. */
export function measureProcess(meter: Meter, { type }: DatabaseSettings): void {
  collectDefaultMetrics({ register: meter.registry });
  const labels = { version: serviceVersion(), node: process.versions.node, database: type };
  meter.gauge(
    {
      name: 'plant_store_build_info',
      help: 'Always 1; the labels tell what runs here.',
      labelNames: Object.keys(labels),
    },
    () => [[labels, 1]],
  );
}

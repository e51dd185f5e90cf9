import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { constants, performance, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks';
import type { DatabaseSettings } from '../config/settings.js';
import { serviceVersion } from '../config/service-version.js';
import { Durations } from './durations.js';
import { by, type Meter } from './meter.js';

/** Milliseconds between two looks at how late the event loop is. */
const LOOP_INTERVAL_MS = 50;

const GC_KINDS: Readonly<Record<number, string>> = {
  [constants.NODE_PERFORMANCE_GC_MINOR]: 'minor',
  [constants.NODE_PERFORMANCE_GC_MAJOR]: 'major',
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL]: 'incremental',
  [constants.NODE_PERFORMANCE_GC_WEAKCB]: 'weak_callbacks',
};

/** An entry of the performance observer; Node's types leave `detail` out. */
interface GarbageCollection extends PerformanceEntry {
  readonly detail: { readonly kind: number };
}

/**
 * Measures the process, under the names that other programs on Node.js have for the same.
 *
 * The client has default metrics, too. They take half of all series, look at the event loop 100 times a second, miss collections of
 * garbage that come together, and cannot be stopped.
 */
export function measureProcess(meter: Meter, database: DatabaseSettings): void {
  measureBuild(meter, database);
  measureResources(meter);
  measureEventLoop(meter);
  measureGarbageCollection(meter);
}

function measureBuild(meter: Meter, { type }: DatabaseSettings): void {
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

function measureResources(meter: Meter): void {
  meter.counter(
    { name: 'process_cpu_seconds_total', help: 'CPU time of the process, user and system.' },
    () => {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1_000_000;
    },
  );
  meter.gauge(
    { name: 'process_start_time_seconds', help: 'When the process started.' },
    () => performance.timeOrigin / 1000,
  );
  meter.gauge({ name: 'process_resident_memory_bytes', help: 'Memory of the process.' }, () =>
    process.memoryUsage.rss(),
  );
  meter.gauge(
    { name: 'nodejs_heap_size_total_bytes', help: 'Memory of the JavaScript heap.' },
    () => process.memoryUsage().heapTotal,
  );
  meter.gauge(
    { name: 'nodejs_heap_size_used_bytes', help: 'Used memory of the JavaScript heap.' },
    () => process.memoryUsage().heapUsed,
  );
  meter.gauge(
    {
      name: 'nodejs_external_memory_bytes',
      help: 'Memory outside of the heap that JavaScript holds, such as buffers.',
    },
    () => process.memoryUsage().external,
  );
  if (process.platform !== 'linux') return;
  const limits = readFileSync('/proc/self/limits', 'utf8');
  const [, most] = /^Max open files +(\d+)/m.exec(limits) ?? [];
  meter.gauge({ name: 'process_max_fds', help: 'File descriptors that the process may have open.' }, () =>
    most === undefined ? undefined : Number(most),
  );
  meter.gauge(
    { name: 'process_open_fds', help: 'Open file descriptors, of which each connection is one.' },
    async () => (await readdir('/proc/self/fd')).length,
  );
}

function measureEventLoop(meter: Meter): void {
  const delays = new Durations();
  let due = performance.now() + LOOP_INTERVAL_MS;
  const looking = setInterval(() => {
    const now = performance.now();
    delays.add(Math.max(0, now - due));
    due = now + LOOP_INTERVAL_MS;
  }, LOOP_INTERVAL_MS).unref();
  meter.beforeStop(() => clearInterval(looking));
  meter.histogram(
    {
      name: 'nodejs_eventloop_delay_seconds',
      help: 'How much later than due the event loop gets to a timer.',
    },
    () => [[{}, delays]],
  );
  meter.counter(
    {
      name: 'nodejs_eventloop_active_seconds_total',
      help: 'Time in which the event loop was not waiting for work. All of it means that the process cannot do more.',
    },
    () => performance.eventLoopUtilization().active / 1000,
  );
}

function measureGarbageCollection(meter: Meter): void {
  const runs = new Map<string, number>();
  const seconds = new Map<string, number>();
  const observer = new PerformanceObserver((list) => {
    for (const { detail, duration } of list.getEntries() as GarbageCollection[]) {
      const kind = GC_KINDS[detail.kind] ?? 'other';
      runs.set(kind, (runs.get(kind) ?? 0) + 1);
      seconds.set(kind, (seconds.get(kind) ?? 0) + duration / 1000);
    }
  });
  observer.observe({ entryTypes: ['gc'] });
  meter.beforeStop(() => observer.disconnect());
  meter.counter(
    { name: 'nodejs_gc_runs_total', help: 'Garbage collections, by kind.', labelNames: ['kind'] },
    () => by('kind', runs),
  );
  meter.counter(
    { name: 'nodejs_gc_seconds_total', help: 'Time of garbage collections, by kind.', labelNames: ['kind'] },
    () => by('kind', seconds),
  );
}

import { monitorEventLoopDelay } from 'node:perf_hooks';
import { memoryUsage } from 'node:process';
import { isMainThread } from 'node:worker_threads';

/** What a process tells of itself. */
export interface Reading {
  /** Milliseconds for which the event loop stood still at most, since the last `begin`. */
  readonly longestBlock: number;
  /** Timers that would keep the process alive. */
  readonly timers: number;
  /** Bytes in use, of JavaScript and of buffers; after `collect` without garbage. */
  readonly heldBytes: number;
}

/** `begin` forgets the blocks that there were, `collect` the garbage; each is answered with a Reading. */
export type Question = 'read' | 'begin' | 'collect';

const RESOLUTION_MS = 10;

/**
 * Loaded into the service with `--import`: answers each question of the process that started it. Nothing of it goes
 * through the port of the service.
 */
if (isMainThread) {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delays.enable();
  const read = (question: Question) => {
    if (question === 'collect') globalThis.gc?.();
    const { heapUsed, external } = memoryUsage();
    process.send?.({
      longestBlock: Math.max(0, delays.max / 1e6 - RESOLUTION_MS),
      timers: process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length,
      heldBytes: heapUsed + external,
    } satisfies Reading);
    if (question !== 'read') delays.reset();
  };
  // A block is known only after the next turn of the monitor.
  process.on('message', (question: Question) => setTimeout(read, 2 * RESOLUTION_MS, question));
  // A test that is killed leaves no service behind.
  process.on('disconnect', () => process.exit());
  process.channel?.unref();
}

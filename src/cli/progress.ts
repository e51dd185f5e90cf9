import { SingleBar } from 'cli-progress';
import type { Terminal } from './terminal.js';

/** Shows how far something is, on standard error and only at a terminal. */
export interface Progress {
  /** @param done how much is done in all. */
  update(done: number, plants: number): void;
  stop(): void;
}

const NOWHERE: Progress = { update: () => undefined, stop: () => undefined };

/** Starts to show a progress; `total` is in the unit of `update`, undefined when nobody knows it. */
export function startProgress({ stderr }: Terminal, total: number | undefined): Progress {
  if (!stderr.isTTY) return NOWHERE;
  const format =
    total === undefined
      ? '{plants} plants, {duration_formatted}'
      : '{bar} {percentage} %, {plants} plants, {eta_formatted} left';
  const bar = new SingleBar({ format, stream: stderr, hideCursor: true, etaBuffer: 100 });
  bar.start(total ?? 0, 0, { plants: 0 });
  return {
    update: (done, plants) => bar.update(done, { plants }),
    stop: () => bar.stop(),
  };
}

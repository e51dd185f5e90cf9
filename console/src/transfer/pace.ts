import type { Point } from '../ui/chart.tsx';

/** How far a transfer was at some moment. */
export interface Mark {
  /** In milliseconds. */
  readonly at: number;
  readonly lines: number;
  readonly bytes: number;
}

/** Milliseconds between two marks at least: less is noise. */
const INTERVAL_MS = 1_000;

/** Marks that are kept. */
const KEPT = 300;

/** Marks from which the time left is told: what was long ago says little. */
const RECENT = 15;

/** The marks with one more, unless the last one is fresh. */
export function withMark(marks: readonly Mark[], mark: Mark): readonly Mark[] {
  const last = marks.at(-1);
  return last && mark.at - last.at < INTERVAL_MS ? marks : [...marks.slice(-KEPT), mark];
}

/** Lines a second. */
export function speedOf(marks: readonly Mark[]): Point[] {
  return marks.slice(1).map(({ at, lines }, index) => {
    const before = marks[index] ?? { at, lines };
    return { at, value: ((lines - before.lines) / (at - before.at)) * 1000 };
  });
}

/** Milliseconds until `size` bytes are done; undefined while nobody can tell. */
export function timeLeft(marks: readonly Mark[], size: number): number | undefined {
  const [first] = marks.slice(-RECENT);
  const last = marks.at(-1);
  if (!first || !last || last.bytes === first.bytes) return undefined;
  return ((size - last.bytes) / (last.bytes - first.bytes)) * (last.at - first.at);
}

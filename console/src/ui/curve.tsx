import { texts } from '../texts.ts';

export interface Point {
  /** In milliseconds. */
  readonly at: number;
  /** undefined interrupts the line. */
  readonly value: number | undefined;
}

interface CurveProps {
  readonly name: string;
  readonly points: readonly Point[];
  /** The moments at its left and right edge. */
  readonly from: number;
  readonly to: number;
  /** A value in words. */
  readonly format: (value: number) => string;
}

/** Of the drawing, which is stretched to the place that it has. */
const WIDTH = 300;
const HEIGHT = 80;

/** Values over time, and the latest in words. */
export function Curve({ name, points, from, to, format }: CurveProps) {
  const most = Math.max(0, ...points.map(({ value = 0 }) => value));
  const peak = texts.curve.peak(format(most));
  const latest = points.at(-1)?.value;
  const current = latest === undefined ? texts.curve.nothing : format(latest);
  const x = (at: number) => ((at - from) / (to - from)) * WIDTH;
  const y = (value: number) => HEIGHT - (value / roundedUp(most)) * HEIGHT;
  return (
    <figure class="curve">
      <figcaption>
        {name} <strong>{current}</strong> <small>{peak}</small>
      </figcaption>
      <svg
        role="img"
        aria-label={`${name}: ${current}, ${peak}`}
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
      >
        {runsOf(points).map((run) => {
          const line = run.map(({ at, value }) => `${x(at)} ${y(value)}`).join('L');
          return (
            <>
              <path class="area" d={`M${line}V${HEIGHT}H${x(run[0]?.at ?? from)}Z`} />
              <path class="line" d={`M${line}h0`} />
            </>
          );
        })}
      </svg>
      <small>
        <span>{texts.curve.ago(to - from)}</span>
        <span>{texts.curve.now}</span>
      </small>
    </figure>
  );
}

/** The points between interruptions. */
function runsOf(points: readonly Point[]): { at: number; value: number }[][] {
  const runs: { at: number; value: number }[][] = [[]];
  for (const { at, value } of points) {
    if (value === undefined) runs.push([]);
    else runs.at(-1)?.push({ at, value });
  }
  return runs.filter((run) => run.length > 0);
}

/** The next number of one digit and zeros, so that the scale seldom changes. */
function roundedUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value || 1));
  return Math.ceil(value / power) * power || 1;
}

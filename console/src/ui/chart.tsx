import { useId, useState } from 'preact/hooks';
import styles from './chart.module.css';

/** What was measured since the point before. */
export interface Point {
  /** In milliseconds, as `performance.now()` has them. */
  readonly at: number;
  /** undefined where nothing is known: a gap. */
  readonly value: number | undefined;
}

interface ChartProps {
  readonly name: string;
  readonly points: readonly Point[];
  readonly from: number;
  readonly to: number;
  readonly format: (value: number) => string;
}

/** Values over a few minutes as steps, with axes. The pointer, a finger or the arrow keys read them. */
export function Chart({ name, points, from, to, format }: ChartProps) {
  const gradient = useId();
  const [pointed, setPointed] = useState<number>();
  const index = points.findIndex(({ at }) => pointed !== undefined && at >= pointed);
  const shown = points[index];
  const peak = Math.max(0, ...points.map(({ value = 0 }) => value));
  const latest = points.at(-1)?.value;
  const current = latest === undefined ? '–' : format(latest);
  const values = marksUpTo(peak);
  const top = values.at(-1) ?? 1;
  // In percent: the drawing is stretched to the place that it has, and the letters are not.
  const x = (at: number) => ((Math.max(at, from) - from) / (to - from)) * 100;
  const y = (value: number) => 100 - (value / top) * 100;
  const known = x(points[0]?.at ?? to);
  return (
    <figure class={`panel ${styles['chart']}`}>
      <figcaption>
        {name} <strong>{current}</strong> <small>Peak {format(peak)}</small>
      </figcaption>
      <div class={styles['values']} aria-hidden="true">
        {values.map((value) => (
          <small key={value} style={{ top: `${y(value)}%` }}>
            {format(value)}
          </small>
        ))}
      </div>
      <div class={`surface ${styles['plot']}`}>
        <svg
          role="img"
          aria-label={`${name}: ${current}, Peak ${format(peak)}`}
          viewBox="0 0 100 100"
          preserveAspectRatio="none"
        >
          <linearGradient id={gradient} x2="0" y2="1">
            <stop stop-color="currentcolor" stop-opacity="0.28" />
            <stop offset="1" stop-color="currentcolor" stop-opacity="0.02" />
          </linearGradient>
          {values.map((value) => (
            <path key={value} class={styles['grid']} d={`M0 ${y(value)}H100`} />
          ))}
          {stepsOf(points).map(({ start, steps }) => {
            const line = steps.map(({ at, value }) => `${y(value)}H${x(at)}`).join('V');
            return (
              <>
                <path fill={`url(#${gradient})`} d={`M${x(start)} 100V${line}V100Z`} />
                <path class={styles['line']} d={`M${x(start)} ${line}`} />
              </>
            );
          })}
        </svg>
        {known > 0 && <div class={styles['unknown']} style={{ width: `${known}%` }} />}
        {shown && (
          <div class={styles['pointer']} style={{ insetInlineStart: `${x(shown.at)}%` }}>
            <output class={`floating ${x(shown.at) > 50 ? styles['before'] : ''}`}>
              <strong>{shown.value === undefined ? 'No data' : format(shown.value)}</strong>{' '}
              <small>{clock(shown.at)}</small>
            </output>
          </div>
        )}
        <input
          type="range"
          aria-label={`${name}: values over time`}
          aria-valuetext={shown && `${clock(shown.at)}: ${format(shown.value ?? 0)}`}
          max={points.length - 1}
          value={index < 0 ? points.length - 1 : index}
          onPointerMove={({ clientX, currentTarget }) => {
            const { left, width } = currentTarget.getBoundingClientRect();
            setPointed(from + ((clientX - left) / width) * (to - from));
          }}
          onPointerLeave={() => setPointed(undefined)}
          onBlur={() => setPointed(undefined)}
          onInput={({ currentTarget: { valueAsNumber } }) => setPointed(points[valueAsNumber]?.at)}
        />
      </div>
      <div class={styles['times']} aria-hidden="true">
        {timesBetween(from, to).map((at) => (
          <small key={at} style={{ insetInlineStart: `${x(at)}%` }}>
            {clock(at)}
          </small>
        ))}
      </div>
    </figure>
  );
}

function stepsOf(points: readonly Point[]) {
  const runs: { start: number; steps: { at: number; value: number }[] }[] = [];
  for (const [index, { at, value }] of points.entries()) {
    const before = points[index - 1];
    if (value === undefined) continue;
    if (before?.value === undefined) runs.push({ start: before?.at ?? at, steps: [] });
    runs.at(-1)?.steps.push({ at, value });
  }
  return runs;
}

/** A few round values from 0 on, the last of which is no smaller than a value. */
function marksUpTo(value: number): number[] {
  const most = value || 1;
  const power = 10 ** Math.floor(Math.log10(most));
  const step = [0.5, 1, 2, 5].map((digit) => digit * power).find((size) => most / size <= 3) ?? power;
  return Array.from({ length: Math.ceil(most / step) + 1 }, (_, index) => index * step);
}

/** The full minutes, or quarters of one, that are not too close to an edge. */
function timesBetween(from: number, to: number): number[] {
  const step = to - from > 120_000 ? 60_000 : 15_000;
  const room = (to - from) / 12;
  const first = Math.ceil((performance.timeOrigin + from + room) / step) * step - performance.timeOrigin;
  const count = Math.floor((to - room - first) / step) + 1;
  return Array.from({ length: count }, (_, index) => first + index * step);
}

function clock(at: number): string {
  return new Date(performance.timeOrigin + at).toLocaleTimeString('en-GB');
}

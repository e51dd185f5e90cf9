import { type DatabaseKind, KINDS } from './databases.js';
import type { Metered } from './meter.js';
import { groupsOf } from './table.js';

/** What an operation costs in a store of a size. */
export interface Cost extends Metered {
  readonly kind: DatabaseKind;
  readonly size: number;
  readonly operation: string;
}

const WIDTH = 310;
const HEIGHT = 320;
const LEFT = 80;
const TOP = 60;
const LINE = 20;
/** Colours that can be told apart, from each other and from a white and a black page. */
const COLORS = ['#2da44e', '#3b82f6', '#d97706', '#a371f7', '#e5534b', '#1b9aaa'];
const GREY = '#76808a';

/** Draws CPU by the number of plants as a picture (SVG), a panel for each database; both axes are logarithmic. */
export function drawGrowth(costs: readonly Cost[]): string {
  const operations = groupsOf(costs, ({ operation }) => operation).map(([{ operation }]) => operation);
  const x = new Axis(
    costs.map(({ size }) => size),
    0,
    WIDTH,
  );
  const y = new Axis(costs.map(cpuUs), HEIGHT, 0);
  const panels = KINDS.map((kind, index) => {
    const lines = operations.map((operation, line) => {
      const points = costs.filter((cost) => cost.kind === kind && cost.operation === operation);
      const path = points.map((cost) => `${x.placeOf(cost.size)},${y.placeOf(cpuUs(cost))}`).join(' ');
      return `<polyline points="${path}"${strokeOf(line)}/>`;
    });
    const grid = [
      `<text y="-16" font-weight="bold">${kind}</text>`,
      ...y.powers.map((value) => {
        const place = y.placeOf(value);
        return `<path d="M0 ${place}H${WIDTH}" stroke="${GREY}" stroke-opacity="0.3"/><text x="-6" y="${place + 4}" text-anchor="end">${asTime(value)}</text>`;
      }),
      ...x.powers.map(
        (value) =>
          `<text x="${x.placeOf(value)}" y="${HEIGHT + 18}" text-anchor="middle">${asCount(value)}</text>`,
      ),
    ];
    return `<g transform="translate(${LEFT + index * (WIDTH + LEFT)} ${TOP})">\n${[...grid, ...lines].join('\n')}\n</g>`;
  });
  const legend = operations.map((operation, line) => {
    const place = TOP + HEIGHT + 50 + line * LINE;
    return `<path d="M${LEFT} ${place - 4}h30"${strokeOf(line)}/><text x="${LEFT + 40}" y="${place}">${operation.replaceAll('`', '')}</text>`;
  });
  const [width, height] = [2 * (LEFT + WIDTH) + 30, TOP + HEIGHT + 50 + operations.length * LINE];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12" fill="${GREY}">`,
    `<text x="${LEFT}" y="18">CPU of a request by the number of plants in the store</text>`,
    ...panels,
    ...legend,
    '</svg>',
    '',
  ].join('\n');
}

/** The CPU of all, in microseconds. */
function cpuUs({ cpuUsEach, databaseCpuUsEach }: Cost): number {
  return cpuUsEach + databaseCpuUsEach;
}

/** A logarithmic axis from a power of ten to another one. */
class Axis {
  readonly powers: readonly number[];

  constructor(
    values: readonly number[],
    private readonly start: number,
    private readonly end: number,
  ) {
    const first = Math.floor(Math.log10(Math.min(...values)));
    const last = Math.ceil(Math.log10(Math.max(...values)));
    this.powers = Array.from({ length: last - first + 1 }, (_, index) => 10 ** (first + index));
  }

  placeOf(value: number): number {
    const [first = 1] = this.powers;
    const part = Math.log10(value / first) / (this.powers.length - 1);
    return Math.round(this.start + part * (this.end - this.start));
  }
}

function strokeOf(line: number): string {
  const dashes = line < COLORS.length ? '' : ` stroke-dasharray="${line < 2 * COLORS.length ? 6 : 2} 3"`;
  return ` fill="none" stroke="${COLORS[line % COLORS.length]}" stroke-width="2"${dashes}`;
}

function asTime(us: number): string {
  if (us >= 1_000_000) return `${us / 1_000_000} s`;
  return us >= 1_000 ? `${us / 1_000} ms` : `${us} µs`;
}

function asCount(value: number): string {
  return value >= 1_000_000 ? `${value / 1_000_000} million` : value.toLocaleString('en');
}

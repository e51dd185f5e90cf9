import { type DatabaseKind, KINDS } from '../databases.js';
import type { Metered } from '../meter.js';

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
/** The operations that are drawn, in colours that can be told from each other and from a white and a black page. */
const COLORS = {
  read: '#2da44e',
  'page of 100': '#3b82f6',
  'create, ascending ids': '#1b9aaa',
  'create, random ids': '#d97706',
  'change followed': '#b08800',
  count: '#a371f7',
  'search for a word of no plant': '#e5534b',
  'search for a word of no plant, `SEARCH=on`': '#db61a2',
};
const GREY = '#76808a';

/** Draws CPU by the number of plants as a picture (SVG), a panel for each database; both axes are logarithmic. */
export function drawGrowth(all: readonly Cost[]): string {
  const costs = all.filter(({ operation }) => operation in COLORS);
  const x = new Axis(
    costs.map(({ size }) => size),
    0,
    WIDTH,
  );
  const y = new Axis(costs.map(cpuUs), HEIGHT, 0);
  const panels = KINDS.map((kind, index) => {
    const lines = Object.entries(COLORS).map(([operation, color]) => {
      const points = costs.filter((cost) => cost.kind === kind && cost.operation === operation);
      const path = points.map((cost) => `${x.placeOf(cost.size)},${y.placeOf(cpuUs(cost))}`).join(' ');
      return `<polyline points="${path}"${strokeOf(color)}/>`;
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
  const legend = Object.entries(COLORS).map(([operation, color], line) => {
    const place = TOP + HEIGHT + 50 + line * LINE;
    return `<path d="M${LEFT} ${place - 4}h30"${strokeOf(color)}/><text x="${LEFT + 40}" y="${place}">${operation.replaceAll('`', '')}</text>`;
  });
  const [width, height] = [2 * (LEFT + WIDTH) + 30, TOP + HEIGHT + 50 + Object.keys(COLORS).length * LINE];
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

function strokeOf(color: string): string {
  return ` fill="none" stroke="${color}" stroke-width="2"`;
}

function asTime(us: number): string {
  if (us >= 1_000_000) return `${us / 1_000_000} s`;
  return us >= 1_000 ? `${us / 1_000} ms` : `${us} µs`;
}

function asCount(value: number): string {
  return value >= 1_000_000 ? `${value / 1_000_000} million` : value.toLocaleString('en');
}

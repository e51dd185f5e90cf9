import type { Prometheus } from './prometheus.js';

const COLUMNS = 3;
const WIDTH = 300;
const HEIGHT = 90;
const GAP = 46;
const COMPACT = new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 3 });
const COLORS = ['#2e7d32', '#1565c0', '#ef6c00', '#6a1b9a', '#c62828', '#00838f', '#9e9d24', '#4e342e'];

/** What Grafana calls a number without a unit. */
const UNITS: Readonly<Record<string, string>> = {
  short: '',
  percentunit: '',
  reqps: 'per second',
  ops: 'per second',
};

/** A panel with what Prometheus is asked for it. */
interface Panel {
  readonly title: string;
  readonly unit: string;
  readonly expressions: readonly string[];
}

/** Draws panels as a picture (SVG) of the last seconds. Grafana draws the same data. */
export async function drawDashboard(
  prometheus: Prometheus,
  panels: readonly Panel[],
  seconds: number,
): Promise<string> {
  const drawn: string[] = [];
  for (const { title, unit, expressions } of panels) {
    const series = (
      await Promise.all(expressions.map(async (expression) => prometheus.range(expression, seconds)))
    ).flat();
    const x = GAP / 2 + (drawn.length % COLUMNS) * (WIDTH + GAP);
    const y = GAP + Math.floor(drawn.length / COLUMNS) * (HEIGHT + GAP);
    drawn.push(`<g transform="translate(${x} ${y})">\n${drawPanel(title, unit, series)}\n</g>`);
  }
  const width = COLUMNS * (WIDTH + GAP);
  const height = GAP + Math.ceil(drawn.length / COLUMNS) * (HEIGHT + GAP);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="11">`,
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    ...drawn,
    '</svg>',
    '',
  ].join('\n');
}

function drawPanel(title: string, unit: string, series: readonly (readonly number[])[]): string {
  const most = Math.max(...series.flat().filter(Number.isFinite), 0);
  const lines = series.map((values, index) => {
    const points = values.map((value, step) => [
      (step / (values.length - 1)) * WIDTH,
      (1 - (most && value / most)) * HEIGHT,
    ]);
    const path = points
      .filter(([, y]) => Number.isFinite(y))
      .map((point) => point.map((coordinate) => coordinate.toFixed(1)).join());
    return `<polyline points="${path.join(' ')}" fill="none" stroke="${COLORS[index % COLORS.length]}"/>`;
  });
  return [
    `<text x="0" y="-18" font-weight="bold">${title}</text>`,
    `<text x="0" y="-5" fill="#757575">up to ${COMPACT.format(most)} ${UNITS[unit] ?? unit}</text>`,
    `<path d="M0 0V${HEIGHT}H${WIDTH}" fill="none" stroke="#bdbdbd"/>`,
    ...lines,
  ].join('\n');
}

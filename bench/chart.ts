import type { Summary } from './summary.js';

const ROW_HEIGHT = 22;
const LABEL_WIDTH = 400;
const BAR_WIDTH = 360;
const WIDTH = LABEL_WIDTH + BAR_WIDTH + 240;
const CONNECTIONS = 64;

/** Draws CPU per create and creates per second at 64 connections as a picture (SVG), grouped by database. */
export function drawChart(summaries: readonly Summary[]): string {
  const shown = summaries.filter(({ connections }) => connections === CONNECTIONS);
  const most = Math.max(...shown.map(({ cpuUsPerCreate }) => cpuUsPerCreate));
  const groups = Object.entries(Object.groupBy(shown, ({ database }) => database));
  const rows = groups.flatMap(([database, group]) =>
    [drawHeading(database)].concat(group.map((summary) => drawRow(summary, most))),
  );
  const height = (rows.length + 2) * ROW_HEIGHT;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="sans-serif" font-size="13">`,
    `<rect width="${WIDTH}" height="${height}" fill="#ffffff"/>`,
    `<text x="8" y="${ROW_HEIGHT}" font-weight="bold">CPU of the service for one durable create, ${CONNECTIONS} connections, one core</text>`,
    ...rows.map((row, index) => `<g transform="translate(0 ${(index + 1.5) * ROW_HEIGHT})">\n${row}\n</g>`),
    '</svg>',
    '',
  ].join('\n');
}

function drawHeading(database: string): string {
  return `<text x="8" y="15" font-style="italic">on ${database}</text>`;
}

function drawRow(
  { contender, cpuUsPerCreate, createsPerSecond, ratioToLimit }: Summary,
  most: number,
): string {
  const width = Math.max(2, (cpuUsPerCreate / most) * BAR_WIDTH);
  const figures = `${cpuUsPerCreate.toFixed(0)} µs (${ratioToLimit.toFixed(1)}×), ${createsPerSecond.toFixed(0)} creates/s`;
  const color = contender.startsWith('plant-store') ? '#2e7d32' : '#9e9e9e';
  return [
    `<text x="8" y="15">${contender}</text>`,
    `<rect x="${LABEL_WIDTH}" y="3" width="${width.toFixed(1)}" height="${ROW_HEIGHT - 6}" fill="${color}"/>`,
    `<text x="${(LABEL_WIDTH + width + 6).toFixed(1)}" y="15">${figures}</text>`,
  ].join('\n');
}

import type { Summary } from './summary.js';

const ROW_HEIGHT = 22;
const LABEL_WIDTH = 400;
const BAR_WIDTH = 360;
const WIDTH = LABEL_WIDTH + BAR_WIDTH + 240;
const CONNECTIONS = 64;

/** Draws CPU and requests per second at 64 connections as a picture (SVG), grouped by operation and database. */
export function drawChart(summaries: readonly Summary[]): string {
  const shown = summaries.filter(({ connections }) => connections === CONNECTIONS);
  const groups = Object.groupBy(shown, ({ database, operation }) => `${operation}, ${database}`);
  const rows = Object.entries(groups).flatMap(([name, group]) => {
    const most = Math.max(...group.map(({ cpuUsEach }) => cpuUsEach));
    return [drawHeading(name)].concat(group.map((summary) => drawRow(summary, most)));
  });
  const height = (rows.length + 2) * ROW_HEIGHT;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="sans-serif" font-size="13">`,
    `<rect width="${WIDTH}" height="${height}" fill="#ffffff"/>`,
    `<text x="8" y="${ROW_HEIGHT}" font-weight="bold">CPU of the service for one request, ${CONNECTIONS} connections, one core</text>`,
    ...rows.map((row, index) => `<g transform="translate(0 ${(index + 1.5) * ROW_HEIGHT})">\n${row}\n</g>`),
    '</svg>',
    '',
  ].join('\n');
}

function drawHeading(name: string): string {
  return `<text x="8" y="15" font-style="italic">${name}</text>`;
}

function drawRow({ contender, cpuUsEach, perSecond, ratioToLimit }: Summary, most: number): string {
  const width = Math.max(2, (cpuUsEach / most) * BAR_WIDTH);
  const figures = `${cpuUsEach.toFixed(0)} µs (${ratioToLimit.toFixed(1)}×), ${perSecond.toFixed(0)}/s`;
  const color = contender.startsWith('plant-store') ? '#2e7d32' : '#9e9e9e';
  return [
    `<text x="8" y="15">${contender}</text>`,
    `<rect x="${LABEL_WIDTH}" y="3" width="${width.toFixed(1)}" height="${ROW_HEIGHT - 6}" fill="${color}"/>`,
    `<text x="${(LABEL_WIDTH + width + 6).toFixed(1)}" y="15">${figures}</text>`,
  ].join('\n');
}

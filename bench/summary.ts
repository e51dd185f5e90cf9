import type { DatabaseKind } from './databases.js';
import type { Metered } from './meter.js';
import { LIMIT, type Operation } from './servers.js';
import { type Column, formatTable, median } from './table.js';

/** What was measured of one contender at one number of connections in one round. */
export interface Measurement extends Metered {
  readonly database: DatabaseKind;
  readonly contender: string;
  /** The first creates are those of the first five seconds after a start. */
  readonly operation: Operation | 'first creates';
  readonly connections: number;
  readonly peakMb: number;
}

/** The medians over all rounds. */
export interface Summary extends Omit<Measurement, 'answered'> {
  /**
   * CPU of one divided by that of the limit on the same database, the median of the ratios within each round; NaN
   * without the limit.
   */
  readonly ratioToLimit: number;
  /** How far the rounds lie apart: the range of the CPU of one, in percent of its median. */
  readonly noisePercent: number;
}

/** Puts the rounds together: one line for each contender, operation and number of connections. */
export function summarize(measurements: readonly Measurement[]): Summary[] {
  const groups = Object.values(
    Object.groupBy(measurements, ({ database, operation, contender, connections }) =>
      [database, operation, contender, connections].join('/'),
    ),
  );
  return groups.flatMap((rounds = []) => {
    const [first] = rounds;
    return first === undefined ? [] : [summarizeRounds(first, rounds, measurements)];
  });
}

function summarizeRounds(
  { database, operation, contender, connections }: Measurement,
  rounds: readonly Measurement[],
  measurements: readonly Measurement[],
): Summary {
  const limits = measurements.filter(
    (one) =>
      one.database === database &&
      one.contender === LIMIT[database].name &&
      one.operation === operation &&
      one.connections === connections,
  );
  const cpu = rounds.map(({ cpuUsEach }) => cpuUsEach);
  return {
    database,
    contender,
    operation,
    connections,
    perSecond: median(rounds.map(({ perSecond }) => perSecond)),
    cpuUsEach: median(cpu),
    ratioToLimit: median(cpu.map((value, round) => value / (limits[round]?.cpuUsEach ?? Number.NaN))),
    databaseCpuUsEach: median(rounds.map(({ databaseCpuUsEach }) => databaseCpuUsEach)),
    writesPerCommit: median(rounds.map(({ writesPerCommit }) => writesPerCommit)),
    p50Us: median(rounds.map(({ p50Us }) => p50Us)),
    p99Us: median(rounds.map(({ p99Us }) => p99Us)),
    peakMb: median(rounds.map(({ peakMb }) => peakMb)),
    noisePercent: ((Math.max(...cpu) - Math.min(...cpu)) / median(cpu)) * 100,
  };
}

const COLUMNS: readonly Column<Summary>[] = [
  ['', ({ contender }) => contender],
  ['connections', ({ connections }) => String(connections)],
  ['per second', ({ perSecond }) => perSecond.toFixed(0)],
  ['p50 ms', ({ p50Us }) => (p50Us / 1000).toFixed(2)],
  ['p99 ms', ({ p99Us }) => (p99Us / 1000).toFixed(2)],
  ['CPU µs', ({ cpuUsEach }) => cpuUsEach.toFixed(1)],
  ['× limit', ({ ratioToLimit }) => ratioToLimit.toFixed(2)],
  ['peak MB', ({ peakMb }) => peakMb.toFixed(0)],
  ['noise %', ({ noisePercent }) => noisePercent.toFixed(0)],
];

/** For a database with processes of its own. */
const DATABASE_COLUMNS: readonly Column<Summary>[] = [
  ['database CPU µs', ({ databaseCpuUsEach }) => databaseCpuUsEach.toFixed(1)],
];

/** The summary in Markdown, a table for each database and operation. */
export function formatSummary(summaries: readonly Summary[]): string {
  const groups = Object.groupBy(summaries, ({ database, operation }) => `${operation}, ${database}`);
  return Object.entries(groups)
    .map(([name, rows]) => {
      const columns = rows[0]?.database === 'SQLite' ? COLUMNS : [...COLUMNS, ...DATABASE_COLUMNS];
      return `**${name}**\n\n${formatTable(columns, rows)}\n`;
    })
    .join('\n');
}

const ROW_HEIGHT = 22;
const LABEL_WIDTH = 400;
const BAR_WIDTH = 360;
const WIDTH = LABEL_WIDTH + BAR_WIDTH + 240;
const CHART_CONNECTIONS = 64;

/** Draws CPU and requests per second at 64 connections as a picture (SVG), grouped by operation and database. */
export function drawChart(summaries: readonly Summary[]): string {
  const shown = summaries.filter(({ connections }) => connections === CHART_CONNECTIONS);
  const groups = Object.groupBy(shown, ({ database, operation }) => `${operation}, ${database}`);
  const rows = Object.entries(groups).flatMap(([name, group]) => {
    const most = Math.max(...group.map(({ cpuUsEach }) => cpuUsEach));
    return [drawHeading(name)].concat(group.map((summary) => drawRow(summary, most)));
  });
  const height = (rows.length + 2) * ROW_HEIGHT;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="sans-serif" font-size="13">`,
    `<rect width="${WIDTH}" height="${height}" fill="#ffffff"/>`,
    `<text x="8" y="${ROW_HEIGHT}" font-weight="bold">CPU of the service for one request, ${CHART_CONNECTIONS} connections, one core</text>`,
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

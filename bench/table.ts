import type { Summary } from './summary.js';

/** A heading, and what stands below it. */
export type Column<Row> = readonly [heading: string, show: (row: Row) => string];

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

/** A table in Markdown. */
export function formatTable<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  const cells = [
    columns.map(([heading]) => heading),
    columns.map((_, column) => (column === 0 ? '---' : '---:')),
    ...rows.map((row) => columns.map(([, show]) => show(row))),
  ];
  return cells.map((row) => `| ${row.join(' | ')} |`).join('\n');
}

import type { Summary } from './summary.js';

const COLUMNS: readonly [string, (summary: Summary) => string][] = [
  ['', ({ contender }) => contender],
  ['connections', ({ connections }) => String(connections)],
  ['creates/s', ({ createsPerSecond }) => createsPerSecond.toFixed(0)],
  ['p50 ms', ({ p50Us }) => (p50Us / 1000).toFixed(2)],
  ['p99 ms', ({ p99Us }) => (p99Us / 1000).toFixed(2)],
  ['CPU µs/create', ({ cpuUsPerCreate }) => cpuUsPerCreate.toFixed(1)],
  ['× limit', ({ ratioToLimit }) => ratioToLimit.toFixed(2)],
  ['peak MB', ({ peakMb }) => peakMb.toFixed(0)],
  ['noise %', ({ noisePercent }) => noisePercent.toFixed(0)],
];

/** The summary as a table in Markdown. */
export function formatTable(summaries: readonly Summary[]): string {
  const cells = [
    COLUMNS.map(([heading]) => heading),
    COLUMNS.map((_, column) => (column === 0 ? '---' : '---:')),
    ...summaries.map((summary) => COLUMNS.map(([, show]) => show(summary))),
  ];
  return cells.map((row) => `| ${row.join(' | ')} |`).join('\n');
}

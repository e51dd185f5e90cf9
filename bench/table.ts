/** A heading, and what stands below it. */
export type Column<Row> = readonly [heading: string, show: (row: Row) => string];

/** A table in Markdown. */
export function formatTable<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  const cells = [
    columns.map(([heading]) => heading),
    columns.map((_, column) => (column === 0 ? '---' : '---:')),
    ...rows.map((row) => columns.map(([, show]) => show(row))),
  ];
  return cells.map((row) => `| ${row.join(' | ')} |`).join('\n');
}

/** The middle of some values. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const [low = Number.NaN, high = Number.NaN] = [sorted[middle - 1], sorted[middle]];
  return sorted.length % 2 === 0 ? (low + high) / 2 : high;
}

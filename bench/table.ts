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

/** Rows with the same key, in the order of the first of each. */
export function groupsOf<Row>(rows: readonly Row[], key: (row: Row) => string): [Row, ...Row[]][] {
  return Object.values(Object.groupBy(rows, key)).filter(
    (group): group is [Row, ...Row[]] => group !== undefined,
  );
}

/** The middle of some values. */
export function median(values: readonly number[]): number {
  return percentile(values, 50);
}

/** The least value that so many percent of the values do not exceed; the median of an even number lies between two. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const place = (sorted.length * percent) / 100;
  const value = sorted[Math.ceil(place) - 1] ?? Number.NaN;
  return Number.isInteger(place) && percent === 50 ? (value + (sorted[place] ?? value)) / 2 : value;
}

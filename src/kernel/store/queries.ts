export interface Statement {
  readonly text: string;
  readonly parameters: readonly unknown[];
}

/** Runs statements: a data source, or a connection of it that keeps a snapshot. */
export interface Queries {
  query(text: string, parameters?: unknown[]): Promise<unknown>;
}

/** Returns the rows of a statement. */
export async function run<Result>(queries: Queries, { text, parameters }: Statement): Promise<Result[]> {
  const result = (await queries.query(text, parameters as unknown[])) as Result[] | [Result[], number];
  // TypeORM returns the rows of some statements with their number.
  return Array.isArray(result[0]) ? result[0] : (result as Result[]);
}

/** Rows of a statement at most. */
const MOST_ROWS = 256;

/** Characters that a statement should read: while SQLite reads 256 of the longest rows, every other request waits. */
const LENGTH = 131_072;

/** How many rows the next statement reads: fewer after long rows, more after short ones. */
export class Portion {
  /** @param rows of the first statement. */
  constructor(public rows = 16) {}

  /** Learns from a statement that has read so many rows of so many characters. */
  note(rows: number, length: number): void {
    if (length > LENGTH) this.rows = Math.ceil((rows * LENGTH) / length / 2);
    else if (rows >= this.rows) this.rows = Math.min(2 * this.rows, MOST_ROWS);
  }
}

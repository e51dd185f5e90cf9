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

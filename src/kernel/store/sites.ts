import type { DataSource, ObjectLiteral } from 'typeorm';
import { type Queries, run, type Statement } from './queries.js';
import type { Key, Table } from './table.js';

/** Writes a statement that reads a table, or `from` in its FROM clause. */
export type WriteStatement = (from?: string) => Statement;

/** Reads a part of a list: from the table, or from `from`, a FROM clause with a `share` of its rows. */
export type ReadPart<Part> = (queries: Queries, from?: string, share?: number) => Promise<Part>;

/** A place that stores some rows of a table. It runs one shared read at a time, and has a queue of writes and failures of its own. */
export interface Site extends Queries {
  /** Reads rows by keys for which `siteOf` returned this site, now or earlier. */
  find(keys: readonly Key[], write: WriteStatement): Promise<ObjectLiteral[]>;
}

/** Decides where rows are stored. Without a provider, all are in `OneDatabase`. */
export abstract class Sites {
  /** Why commits have no common order, as the end of a sentence; undefined if they have one. */
  abstract readonly disorder: string | undefined;
  /** Whether a site is reached only through another one. */
  abstract readonly isDetoured: boolean;

  /** Returns undefined for the database itself. */
  abstract siteOf(table: Table<ObjectLiteral>, key: Key): Site | undefined;

  /** Reads a part of a list from each place that has rows of the table. */
  abstract page<Part>(table: Table<ObjectLiteral>, read: ReadPart<Part>): Promise<Part[]>;
}

/** All rows in the database of a data source. */
export class OneDatabase implements Sites, Site {
  readonly disorder = undefined;
  readonly isDetoured = false;

  constructor(private readonly dataSource: DataSource) {}

  siteOf(): undefined {
    return undefined;
  }

  query(text: string, parameters?: unknown[]): Promise<unknown> {
    return this.dataSource.query(text, parameters);
  }

  find(_keys: readonly Key[], write: WriteStatement): Promise<ObjectLiteral[]> {
    return run(this, write());
  }

  async page<Part>(_table: Table<ObjectLiteral>, read: ReadPart<Part>): Promise<Part[]> {
    return [await read(this)];
  }
}

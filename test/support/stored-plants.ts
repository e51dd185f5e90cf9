import Database from 'better-sqlite3';

export interface StoredPlant {
  readonly id: bigint;
  readonly name: string;
  readonly tag: string | null;
}

/** Reads every plant in a database file, in ascending id, with exact ids. */
export function readPlants(path: string): StoredPlant[] {
  const database = new Database(path, { readonly: true });
  try {
    return database
      .prepare<[], StoredPlant>('SELECT id, name, tag FROM plants ORDER BY id')
      .safeIntegers()
      .all();
  } finally {
    database.close();
  }
}

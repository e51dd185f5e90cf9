import { Column, DataSource, Entity, PrimaryColumn } from 'typeorm';
import { inject, onTestFinished } from 'vitest';
import { readSettings } from '../support/settings.js';
import { int64, timestamp } from '../../src/kernel/database/column-types.js';
import { dataSourceOptions } from '../../src/kernel/database/data-source-options.js';
import { GroupCommit } from '../../src/kernel/store/group-commit.js';
import { Rows } from '../../src/kernel/store/rows.js';
import { emptyDatabase, type TestDatabase } from '../support/database.js';

/** A row with every type of column that a table may have. */
@Entity('gardens')
export class Garden {
  @PrimaryColumn('bigint', { transformer: int64 })
  id: bigint;

  @Column('text')
  name: string;

  @Column('text', { nullable: true })
  note: string | null;

  @Column('bigint', { nullable: true, transformer: int64 })
  budget: bigint | null;

  @Column('double precision', { nullable: true })
  area: number | null;

  @Column('boolean', { name: 'is_open', nullable: true })
  isOpen: boolean | null;

  @Column('text', { name: 'opened_at', nullable: true, transformer: timestamp })
  openedAt: Date | null;
}

/** The types of the columns, and what stands behind the list of columns, in each database. */
const DIALECTS = {
  sqlite: { int64: 'INTEGER', double: 'REAL', boolean: 'INTEGER', strict: 'STRICT' },
  postgres: { int64: 'bigint', double: 'double precision', boolean: 'boolean', strict: '' },
};

/** Makes a database for gardens, and opens it. */
export async function openGardens() {
  const database = await emptyDatabase();
  const type = DIALECTS[inject('database')];
  await database.execute(`
    CREATE TABLE gardens (
      id ${type.int64} PRIMARY KEY NOT NULL,
      name TEXT NOT NULL,
      note TEXT,
      budget ${type.int64},
      area ${type.double},
      is_open ${type.boolean},
      opened_at TEXT
    ) ${type.strict}`);
  const dataSource = await connect(database, Garden);
  return { database, dataSource, rows: new Rows(dataSource, Garden, new GroupCommit(4096)) };
}

/** Opens a database for the rows of entities. */
export async function connect(
  { url }: TestDatabase,
  ...entities: readonly (new () => object)[]
): Promise<DataSource> {
  const options = dataSourceOptions(readSettings({ DATABASE_URL: url }));
  const dataSource = await new DataSource({
    ...options,
    entities: [...entities],
    migrations: [],
  }).initialize();
  onTestFinished(() => dataSource.destroy());
  return dataSource;
}

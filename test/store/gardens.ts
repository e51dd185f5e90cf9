import { Column, DataSource, Entity, PrimaryColumn, type ValueTransformer } from 'typeorm';
import { inject, onTestFinished, vi } from 'vitest';
import { readSettings } from '../../src/config/environment.js';
import { dataSourceOptions } from '../../src/database/data-source-options.js';
import { int64, timestamp } from '../../src/database/column-types.js';
import { emptyDatabase, type TestDatabase } from '../support/database.js';

/** Any JSON value in a column of type `text`. */
const json: ValueTransformer = {
  to: (value: unknown) => (value === null || value === undefined ? value : JSON.stringify(value)),
  from: (value: string | null) => (value === null ? null : (JSON.parse(value) as unknown)),
};

/** A row with every type of column that a table may have, each also where there may be no value. */
@Entity('gardens')
export class Garden {
  @PrimaryColumn('bigint', { transformer: int64 })
  id: bigint;

  @Column('text')
  name: string;

  @Column('text', { nullable: true })
  note: string | null;

  @Column('bigint', { transformer: int64 })
  visitors: bigint;

  @Column('bigint', { nullable: true, transformer: int64 })
  budget: bigint | null;

  @Column('double precision')
  area: number;

  @Column('double precision', { nullable: true })
  slope: number | null;

  @Column('boolean', { name: 'is_open' })
  isOpen: boolean;

  @Column('boolean', { name: 'is_shady', nullable: true })
  isShady: boolean | null;

  @Column('text', { name: 'opened_at', transformer: timestamp })
  openedAt: Date;

  @Column('text', { name: 'closed_at', nullable: true, transformer: timestamp })
  closedAt: Date | null;

  @Column('text', { transformer: json })
  plan: unknown;

  @Column('text', { nullable: true, transformer: json })
  extra: unknown;
}

/** A row that refers to another one, and may refer to one of its own kind. */
@Entity('beds')
export class Bed {
  @PrimaryColumn('text')
  code: string;

  @Column('bigint', { name: 'garden_id', transformer: int64 })
  gardenId: bigint;

  @Column('text', { name: 'next_to', nullable: true })
  nextTo: string | null;
}

/** The types of the columns, and what stands behind the column lists, in each database. */
const DIALECTS = {
  sqlite: { int64: 'INTEGER', double: 'REAL', boolean: 'INTEGER', strict: 'STRICT' },
  postgres: { int64: 'bigint', double: 'double precision', boolean: 'boolean', strict: '' },
};

/** Makes a database for gardens, and opens it. */
export async function openGardens(): Promise<{
  readonly database: TestDatabase;
  readonly dataSource: DataSource;
}> {
  const database = await emptyDatabase();
  await createTables(database);
  return { database, dataSource: await connect(database, [Garden, Bed]) };
}

/** Opens a database once more, as another instance of the service would. */
export async function connect(
  database: TestDatabase,
  entities: readonly (new () => object)[],
): Promise<DataSource> {
  const options = dataSourceOptions(readSettings({ DATABASE_URL: database.url }));
  const dataSource = await new DataSource({
    ...options,
    entities: [...entities],
    migrations: [],
  }).initialize();
  onTestFinished(() => dataSource.destroy());
  return dataSource;
}

async function createTables(database: TestDatabase): Promise<void> {
  const type = DIALECTS[inject('database')];
  await database.execute(`
    CREATE TABLE gardens (
      id ${type.int64} PRIMARY KEY NOT NULL,
      name TEXT NOT NULL CHECK (name <> 'refused'),
      note TEXT,
      visitors ${type.int64} NOT NULL,
      budget ${type.int64},
      area ${type.double} NOT NULL,
      slope ${type.double},
      is_open ${type.boolean} NOT NULL,
      is_shady ${type.boolean},
      opened_at TEXT NOT NULL,
      closed_at TEXT,
      plan TEXT NOT NULL,
      extra TEXT
    ) ${type.strict};
    CREATE TABLE beds (
      code TEXT PRIMARY KEY NOT NULL,
      garden_id ${type.int64} NOT NULL REFERENCES gardens ON DELETE CASCADE,
      next_to TEXT REFERENCES beds ON DELETE CASCADE
    ) ${type.strict}`);
}

/** A garden of which only the id, and what is given, matters. */
export function garden(id: bigint, members: Partial<Garden> = {}): Garden {
  return {
    id,
    name: `garden ${id}`,
    note: null,
    visitors: 0n,
    budget: null,
    area: 1.5,
    slope: null,
    isOpen: true,
    isShady: null,
    openedAt: new Date(0),
    closedAt: null,
    plan: {},
    extra: null,
    ...members,
  };
}

/** A row with other members. */
export function altered<Row extends object>(row: Row, members: Partial<Row>): Row {
  return { ...row, ...members };
}

/** The first words of the statements that a data source executes from now on. */
export function watchStatements(dataSource: DataSource): string[] {
  const words: string[] = [];
  beforeStatements(dataSource, (text) => void words.push(text.split(' ', 1)[0] ?? ''));
  return words;
}

/** Lets something happen before each statement that a data source executes from now on. */
export function beforeStatements(
  dataSource: DataSource,
  happen: (text: string) => Promise<void> | void,
): void {
  const query = dataSource.query.bind(dataSource);
  vi.spyOn(dataSource, 'query').mockImplementation(async (...args) => {
    await happen(args[0]);
    return query(...args);
  });
}

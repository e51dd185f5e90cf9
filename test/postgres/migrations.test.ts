import { DataSource } from 'typeorm';
import { describe, expect, test } from 'vitest';
import * as migrations from '../../migrations/index.js';
import { emptyDatabase, type TestDatabase } from '../support/database.js';
import { query } from '../support/postgres-server.js';
import { failedStart, startService, TOKEN } from '../support/service.js';

interface Column {
  readonly table: string;
  readonly column: string;
  readonly definition: string;
  /** Whether a row can be inserted without it. */
  readonly isOptional: boolean;
}

interface Rule {
  readonly table: string;
  readonly definition: string;
}

/** What a version relies on that reads and writes the tables. */
interface Schema {
  readonly columns: readonly Column[];
  /** What a row must be like; rules on NULL are in the columns. */
  readonly rules: readonly Rule[];
}

async function schemaOf({ url }: TestDatabase): Promise<Schema> {
  const columns = await query<Column>(
    url,
    `SELECT table_name AS table, column_name AS column, data_type || ' ' || is_nullable AS definition,
       is_nullable = 'YES' OR column_default IS NOT NULL OR is_generated = 'ALWAYS' OR is_identity = 'YES' AS "isOptional"
     FROM information_schema.columns WHERE table_schema = current_schema()`,
  );
  const rules = await query<Rule>(
    url,
    `SELECT conrelid::regclass::text AS table, pg_get_constraintdef(oid) AS definition FROM pg_constraint
     WHERE connamespace = current_schema()::regnamespace AND contype NOT IN ('n', 'p', 'u')
     UNION SELECT indrelid::regclass::text, pg_get_indexdef(indexrelid) FROM pg_index
     WHERE indisunique AND indrelid IN (SELECT oid FROM pg_class WHERE relnamespace = current_schema()::regnamespace)`,
  );
  return { columns, rules };
}

/** What the version before a change of the schema could not live with. */
function breaksOf(before: Schema, after: Schema): string[] {
  const isOld = ({ table }: { table: string }) => before.columns.some((column) => column.table === table);
  const gone = before.columns.flatMap(({ table, column, definition }) => {
    const now = after.columns.find((each) => each.table === table && each.column === column);
    if (now === undefined) return [`${table}.${column} is gone`];
    return now.definition === definition ? [] : [`${table}.${column} is ${now.definition}`];
  });
  const needed = after.columns
    .filter(
      ({ table, column }) => !before.columns.some((each) => each.table === table && each.column === column),
    )
    .filter((column) => isOld(column) && !column.isOptional)
    .map(({ table, column }) => `${table}.${column} is needed`);
  const stricter = after.rules
    .filter(({ definition }) => !before.rules.some((each) => each.definition === definition))
    .filter(isOld)
    .map(({ table, definition }) => `${table} demands ${definition}`);
  return [...gone, ...needed, ...stricter];
}

describe('a migration', () => {
  test('only adds what the version before can live with, each of them', async () => {
    const database = await emptyDatabase();
    const dataSource = await new DataSource({ type: 'postgres', url: database.url }).initialize();
    const found: Record<string, string[]> = {};
    const sorted = Object.values(migrations)
      .map((Migration) => new Migration())
      .toSorted((one, other) => Number(one.name.slice(-13)) - Number(other.name.slice(-13)));

    for (const migration of sorted) {
      const before = await schemaOf(database);
      await migration.up(dataSource.createQueryRunner());
      found[migration.name] = breaksOf(before, await schemaOf(database));
    }
    await dataSource.destroy();

    expect(found).toEqual(Object.fromEntries(sorted.map(({ name }) => [name, []])));
  });
});

describe('a service whose schema a newer version extends', () => {
  test('goes on with every operation', async () => {
    const service = await startService();
    const operations = [
      () => service.create({ id: 2, name: 'Aloe', tag: 'green' }),
      () => service.send('GET', '/plants/2'),
      () => service.send('GET', '/plants?tag=green'),
      () => service.send('GET', '/plants'),
      () => service.send('PUT', '/plants/2', { body: { id: 2, name: 'Agave', tag: 'green' } }),
      () =>
        service.send('PATCH', '/plants/2', {
          body: { tag: 'blue' },
          headers: { 'Content-Type': 'application/merge-patch+json' },
        }),
      () => service.send('GET', '/plants/export'),
      () => service.send('DELETE', '/plants/2'),
    ];
    const statuses = async () => {
      const found: number[] = [];
      for (const operation of operations) found.push((await operation()).status);
      return found;
    };

    const before = await statuses();
    await service.database.execute(`
      INSERT INTO migrations (timestamp, name) VALUES (1763700009999, 'FromTheFuture1763700009999');
      ALTER TABLE plants ADD height integer NOT NULL DEFAULT 0, ADD place text;
      CREATE INDEX plants_by_height ON plants (height)`);

    expect(before).toEqual([200, 200, 200, 200, 200, 200, 200, 204]);
    expect(await statuses()).toEqual(before);
  });

  test('is not held up by a migration that waits for a long read', async () => {
    const service = await startService();
    await service.database.execute(`DELETE FROM migrations WHERE name = 'OrderPlants1763700000003'`);
    await service.database.execute('BEGIN; SELECT FROM plants');

    const newer = failedStart({ DATABASE_URL: service.database.url, BOOTSTRAP_TOKEN: TOKEN });
    const created = await service.create({ id: 1, name: 'Aloe' });
    const failure = await newer;
    await service.database.execute('COMMIT');

    expect(created.status).toBe(200);
    expect(failure).toMatch(/is in use by a transaction that keeps its schema from changing\.$/);
  });
});

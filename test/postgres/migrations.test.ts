import type { Type } from '@nestjs/common';
import { DataSource, type MigrationInterface } from 'typeorm';
import { describe, expect, test } from 'vitest';
import * as migrations from '../../migrations/index.js';
import { emptyDatabase, type TestDatabase } from '../support/database.js';
import { query } from '../support/postgres-server.js';
import { failedStart, startService, TOKEN } from '../support/service.js';

/** A column, a constraint or a unique index that a running version relies on. */
interface Rule {
  readonly table: string;
  readonly name: string;
  readonly definition: string;
  readonly isColumn: boolean;
  /** Whether a version that does not know it, nor its columns, can insert rows. */
  readonly isOptional: boolean;
  /** Of a constraint. */
  readonly columns: readonly string[];
}

async function rulesOf({ url }: TestDatabase): Promise<Rule[]> {
  return query<Rule>(
    url,
    `SELECT table_name::text AS table, column_name::text AS name, data_type || ' ' || is_nullable AS definition, true AS "isColumn",
       is_nullable = 'YES' OR column_default IS NOT NULL OR is_generated = 'ALWAYS' OR is_identity = 'YES' AS "isOptional",
       '{}'::text[] AS columns
     FROM information_schema.columns WHERE table_schema = current_schema()
     UNION ALL SELECT conrelid::regclass::text, conname, pg_get_constraintdef(pg_constraint.oid), false,
       NOT bool_or(attnotnull OR atthasdef), array_agg(attname::text)
     FROM pg_constraint JOIN pg_attribute ON attrelid = conrelid AND attnum = ANY (conkey)
     WHERE connamespace = current_schema()::regnamespace AND contype NOT IN ('n', 'p', 'u') GROUP BY pg_constraint.oid
     UNION ALL SELECT indrelid::regclass::text, indexrelid::regclass::text, pg_get_indexdef(indexrelid), false, false, '{}' FROM pg_index
     WHERE indisunique AND indrelid IN (SELECT oid FROM pg_class WHERE relnamespace = current_schema()::regnamespace)`,
  );
}

/** The columns that a version would miss after a change of the schema, and the rules that it would break. */
function breaksOf(before: readonly Rule[], after: readonly Rule[]): Rule[] {
  const isIn = (rules: readonly Rule[]) => (rule: Rule) =>
    rules.some(({ table, name, definition }) =>
      [rule.table, rule.name, rule.definition].every((text, i) => text === [table, name, definition][i]),
    );
  const missing = before.filter(({ isColumn }) => isColumn).filter((rule) => !isIn(after)(rule));
  const added = after
    .filter(({ table }) => before.some((rule) => rule.table === table))
    .filter((rule) => !isIn(before)(rule))
    .filter(
      ({ table, isOptional, columns }) =>
        !isOptional || before.some((rule) => rule.table === table && columns.includes(rule.name)),
    );
  return [...missing, ...added];
}

describe('a migration', () => {
  test('only adds what the version before can live with, each of them', async () => {
    const database = await emptyDatabase();
    const dataSource = await new DataSource({ type: 'postgres', url: database.url }).initialize();
    const found: Rule[] = [];
    const sorted = Object.values<Type<MigrationInterface>>(migrations)
      .toSorted((one, other) => Number(one.name.slice(-13)) - Number(other.name.slice(-13)))
      .map((Migration) => new Migration());

    for (const migration of sorted) {
      const before = await rulesOf(database);
      await migration.up(dataSource.createQueryRunner());
      found.push(...breaksOf(before, await rulesOf(database)));
    }
    await dataSource.destroy();

    expect(found).toEqual([]);
  });
});

test.for([
  ['ADD species bigint REFERENCES species', []],
  ['ADD price bigint, ADD currency text, ADD CHECK ((price IS NULL) = (currency IS NULL))', []],
  ["ADD light text NOT NULL DEFAULT 'medium'", []],
  ['ADD species bigint NOT NULL REFERENCES species', ['species', 'plants_species_fkey']],
  ['ADD species bigint DEFAULT 7 REFERENCES species', ['plants_species_fkey']],
  ["ADD CHECK (tag <> '')", ['plants_tag_check']],
  ["ADD price bigint, ADD CHECK (price > 0 OR tag <> '')", ['plants_check']],
  ['DROP tag', ['tag']],
] as const)('the version before would break: ALTER TABLE plants %s: %s', async ([change, broken]) => {
  const database = await emptyDatabase();
  await database.execute(`CREATE TABLE plants (id bigint PRIMARY KEY, name text NOT NULL, tag text);
    CREATE TABLE species (id bigint PRIMARY KEY)`);
  const before = await rulesOf(database);

  await database.execute(`ALTER TABLE plants ${change}`);

  const found = breaksOf(before, await rulesOf(database));
  expect(new Set(found.map(({ name }) => name))).toEqual(new Set(broken));
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
      () => service.send('PATCH', '/plants/2', { body: { tag: 'blue' } }),
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

import { readdirSync, readFileSync } from 'node:fs';
import { DataSource } from 'typeorm';
import { expect, inject, test } from 'vitest';
import * as migrations from '../../migrations/index.js';
import { readSettings } from '../support/settings.js';
import { dataSourceOptions } from '../../src/kernel/database/data-source-options.js';
import { plantStore } from '../support/command-line.js';
import { emptyDatabase, type TestDatabase } from '../support/database.js';
import { PLANT_LINES, withoutOtherFields } from '../support/plants.js';
import { startService, type Service } from '../support/service.js';

const FOLDER = new URL('./', import.meta.url);
const STORES = readdirSync(FOLDER).filter((name) => name.endsWith(`.${inject('database')}.sql`));

/** The secret of a token that each store has. */
const headers = { Authorization: 'Bearer a-token-from-back-then' };

const SCHEMA = {
  sqlite: `SELECT 'column' AS kind, schema.name || '.' || info.name AS name, info.type || info."notnull" AS definition
    FROM sqlite_schema AS schema, pragma_table_info(schema.name) AS info WHERE schema.type = 'table'
    UNION SELECT schema.type, schema.name, replace(schema.sql, ' ', '')
    FROM sqlite_schema AS schema WHERE type = 'index' ORDER BY 1, 2`,
  postgres: `SELECT 'column' AS kind, table_name || '.' || column_name AS name, data_type || is_nullable AS definition
    FROM information_schema.columns WHERE table_schema = current_schema()
    UNION SELECT 'index', indexname, indexdef
    FROM pg_indexes WHERE schemaname = current_schema() ORDER BY 1, 2`,
};

/** Columns and indexes, each with its definition. */
async function schemaOf({ app }: Service): Promise<unknown[]> {
  return app.get(DataSource).query(SCHEMA[inject('database')]);
}

test.for(STORES)('a store of an older version starts with every plant, token and index: %s', async (name) => {
  const database = await emptyDatabase();
  await database.execute(readFileSync(new URL(name, FOLDER), 'utf8'));

  const service = await startService({}, database);
  const exported = await service.send('GET', '/plants/export', { headers });
  const listed = await service.send('GET', '/plants?tag=houseplant', { headers });
  const created = await service.create({ id: 1, name: 'new' }, headers);

  expect(withoutOtherFields(exported.text)).toBe(PLANT_LINES.join(''));
  expect(withoutOtherFields(listed.text)).toBe(`[${PLANT_LINES[3]?.trimEnd()}]`);
  expect(created.status).toBe(200);
  expect(await schemaOf(service)).toEqual(await schemaOf(await startService()));
});

function timeOf(migration: string): number {
  return Number(migration.slice(-13));
}

/** A database on which only the migrations before this one have run. */
async function databaseBefore(migration: string): Promise<TestDatabase> {
  const database = await emptyDatabase();
  const earlier = Object.values(migrations).filter(({ name }) => timeOf(name) < timeOf(migration));
  const options = dataSourceOptions(readSettings({ DATABASE_URL: database.url }));
  const dataSource = new DataSource({ ...options, migrations: earlier });
  await (await dataSource.initialize()).runMigrations({ transaction: 'all' });
  await dataSource.destroy();
  return database;
}

// Before the first one there is no store.
const [, ...SCHEMAS] = Object.values(migrations)
  .map(({ name }) => name)
  .toSorted((one, other) => timeOf(one) - timeOf(other));

test.for(SCHEMAS)(
  'only a start upgrades a store; commands say what is pending: before %s',
  async (migration) => {
    const database = await databaseBefore(migration);

    const refused = [
      await plantStore(database, ['export']),
      await plantStore(database, ['token', 'list']),
      await plantStore(database, ['token', 'revoke', 'bootstrap']),
      await plantStore(database, ['token', 'create', '--name', 'new']),
      await plantStore(database, ['import'], PLANT_LINES.join('')),
    ];
    const service = await startService({}, database);

    const stderr = expect.stringMatching(
      new RegExp(`^Migrations are pending: .*${migration}.* The next start of the service runs them\\.\n$`),
    );
    expect(refused).toEqual(refused.map(() => ({ code: 1, stdout: '', stderr })));
    expect((await service.create({ id: 1, name: 'new' })).status).toBe(200);
  },
);

test('a start logs each migration that it runs, and the next one none', async () => {
  const database = await emptyDatabase();
  const lines = async () => {
    const service = await startService({}, database);
    await service.stop();
    return service.log.filter((line) => /Ran the migration \w+ in \d+ ms/.test(line)).length;
  };

  expect([await lines(), await lines()]).toEqual([Object.keys(migrations).length, 0]);
});

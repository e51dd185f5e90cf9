import { readdirSync, readFileSync } from 'node:fs';
import { DataSource } from 'typeorm';
import { expect, inject, test } from 'vitest';
import { emptyDatabase } from '../support/database.js';
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

/**
 * The limit of this stack on PostgreSQL, written by hand: `node:http` and pg, and nothing that a service needs besides.
 *
 * One statement at a time commits what has arrived until then, over one connection; every create is answered when the
 * server has synced its commit to disk. Ids have to differ within a batch, as those of the load do.
 */
import { setImmediate as endOfTurn } from 'node:timers/promises';
import { Client } from 'pg';
import { answer, type Pending, serve } from './serve.js';

const INSERT = {
  name: 'insert',
  text: `
    INSERT INTO plants (id, name, tag)
    SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[])
    ON CONFLICT (id) DO NOTHING
    RETURNING id`,
};

const client = new Client({ connectionString: process.env['BENCH_DATABASE'] ?? '' });
await client.connect();
await client.query('CREATE TABLE plants (id bigint PRIMARY KEY, name text NOT NULL, tag text)');

let batch: Pending[] = [];
let committing = false;

async function commitAll(): Promise<void> {
  committing = true;
  while (batch.length > 0) {
    await endOfTurn();
    const pending = batch;
    batch = [];
    const created = await insert(pending);
    for (const one of pending) answer(one, created.has(String(one.plant.id)));
  }
  committing = false;
}

async function insert(pending: readonly Pending[]): Promise<Set<string>> {
  const values = [
    pending.map(({ plant }) => plant.id),
    pending.map(({ plant }) => plant.name),
    pending.map(({ plant }) => plant.tag ?? null),
  ];
  const { rows } = await client.query<{ id: string }>({ ...INSERT, values });
  return new Set(rows.map(({ id }) => id));
}

serve((pending) => {
  batch.push(pending);
  if (!committing) void commitAll();
});

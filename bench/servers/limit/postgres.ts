/**
 * The limit of this stack on PostgreSQL: `node:http` and pg, without framework, validation or log. One statement at a time, over one
 * connection, commits the creates that have arrived; responses follow the sync to disk. The ids of a batch must differ, as those of the
 * load do.
 */
import { setImmediate as endOfTurn } from 'node:timers/promises';
import { Client } from 'pg';
import { type Create, type Read, serve } from './serve.js';

const INSERT = {
  name: 'insert',
  text: `
    INSERT INTO plants (id, name, tag)
    SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[])
    ON CONFLICT (id) DO NOTHING
    RETURNING id`,
};
const FIND = { name: 'find', text: 'SELECT id, name, tag FROM plants WHERE id = ANY($1::bigint[])' };
const LIST = { name: 'list', text: 'SELECT id, name, tag FROM plants WHERE id > $1 ORDER BY id LIMIT $2' };

const client = new Client({ connectionString: process.env['BENCH_DATABASE'] ?? '' });
await client.connect();
await client.query('CREATE TABLE plants (id bigint PRIMARY KEY, name text NOT NULL, tag text)');

let batch: Create[] = [];
let reads: Read[] = [];
let committing = false;

async function commitAll(): Promise<void> {
  committing = true;
  while (batch.length > 0) {
    await endOfTurn();
    const creates = batch;
    batch = [];
    const created = await insert(creates);
    for (const { plant, respond } of creates) respond(created.has(plant.id));
  }
  committing = false;
}

async function insert(creates: readonly Create[]): Promise<Set<number>> {
  const values = [
    creates.map(({ plant }) => plant.id),
    creates.map(({ plant }) => plant.name),
    creates.map(({ plant }) => plant.tag ?? null),
  ];
  return new Set((await select({ ...INSERT, values })).map(({ id }) => id));
}

/** Reads that arrive in one turn of the event loop are one statement. */
async function readAll(): Promise<void> {
  const asked = reads;
  reads = [];
  const rows = await select({ ...FIND, values: [asked.map(({ id }) => id)] });
  const found = new Map(rows.map((row) => [row.id, row]));
  for (const { id, respond } of asked) respond(found.get(id));
}

/** Rows with their ids as numbers; pg returns texts. */
async function select(statement: { name: string; text: string; values: unknown[] }) {
  const { rows } = await client.query<{ id: string | number }>(statement);
  return rows.map((row) => Object.assign(row, { id: Number(row.id) }));
}

serve({
  create: (create) => {
    batch.push(create);
    if (!committing) void commitAll();
  },
  read: (read) => {
    if (reads.push(read) === 1) setImmediate(() => void readAll());
  },
  page: (after, limit, respond) => void select({ ...LIST, values: [after, limit] }).then(respond),
});

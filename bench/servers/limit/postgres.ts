/**
 * The limit of this stack on PostgreSQL, written by hand: `node:http` and pg, and nothing that a service needs besides.
 *
 * One statement at a time commits what has arrived until then, over one connection; every create is answered when the
 * server has synced its commit to disk. Ids have to differ within a batch, as those of the load do.
 */
import { setImmediate as endOfTurn } from 'node:timers/promises';
import { Client } from 'pg';
import {
  answerCreate,
  answerPage,
  answerRead,
  type PendingCreate,
  type PendingPage,
  type PendingRead,
  serve,
} from './serve.js';

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

const FIND = { name: 'find', text: 'SELECT id, name, tag FROM plants WHERE id = ANY($1::bigint[])' };
const LIST = { name: 'list', text: 'SELECT id, name, tag FROM plants WHERE id > $1 ORDER BY id LIMIT $2' };

let batch: PendingCreate[] = [];
let reads: PendingRead[] = [];
let committing = false;

async function commitAll(): Promise<void> {
  committing = true;
  while (batch.length > 0) {
    await endOfTurn();
    const pending = batch;
    batch = [];
    const created = await insert(pending);
    for (const one of pending) answerCreate(one, created.has(String(one.plant.id)));
  }
  committing = false;
}

async function insert(pending: readonly PendingCreate[]): Promise<Set<string>> {
  const values = [
    pending.map(({ plant }) => plant.id),
    pending.map(({ plant }) => plant.name),
    pending.map(({ plant }) => plant.tag ?? null),
  ];
  const { rows } = await client.query<{ id: string }>({ ...INSERT, values });
  return new Set(rows.map(({ id }) => id));
}

/** What is read in one turn of the event loop is one statement. */
async function readAll(): Promise<void> {
  const pending = reads;
  reads = [];
  const { rows } = await client.query<{ id: string }>({ ...FIND, values: [pending.map(({ id }) => id)] });
  const found = new Map(rows.map((row) => [Number(row.id), Object.assign(row, { id: Number(row.id) })]));
  for (const one of pending) answerRead(one, found.get(one.id));
}

async function page(pending: PendingPage): Promise<void> {
  const { rows } = await client.query<{ id: string }>({ ...LIST, values: [pending.after, pending.limit] });
  answerPage(
    pending,
    rows.map((row) => Object.assign(row, { id: Number(row.id) })),
  );
}

serve({
  create: (pending) => {
    batch.push(pending);
    if (!committing) void commitAll();
  },
  read: (pending) => {
    if (reads.push(pending) === 1) setImmediate(() => void readAll());
  },
  page: (pending) => void page(pending),
});

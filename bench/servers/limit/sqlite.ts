/**
 * The limit of this stack on SQLite, written by hand: `node:http` and better-sqlite3, and nothing that a service needs
 * besides.
 *
 * `BENCH_COMMIT=group` commits what has arrived in one turn of the event loop together, `BENCH_COMMIT=single` each
 * create by itself. Both sync every commit to disk, and answer only then.
 */
import Database from 'better-sqlite3';
import { answerCreate, answerPage, answerRead, type PendingCreate, serve } from './serve.js';

const { BENCH_COMMIT, BENCH_DATABASE = '' } = process.env;
const database = new Database(BENCH_DATABASE.replace('sqlite:', ''));
database.pragma('journal_mode = WAL');
database.pragma('synchronous = FULL');
database.exec('CREATE TABLE plants (id INTEGER PRIMARY KEY NOT NULL, name TEXT NOT NULL, tag TEXT) STRICT');
const insert = database.prepare('INSERT INTO plants (id, name, tag) VALUES (?, ?, ?) ON CONFLICT DO NOTHING');

const find = database.prepare<[number], object>('SELECT id, name, tag FROM plants WHERE id = ?');
const list = database.prepare<[number, number], object>(
  'SELECT id, name, tag FROM plants WHERE id > ? ORDER BY id LIMIT ?',
);

let batch: PendingCreate[] = [];

const commit = database.transaction((pending: readonly PendingCreate[]) =>
  pending.map(({ plant }) => insert.run(plant.id, plant.name, plant.tag ?? null).changes === 1),
);

function flush(): void {
  const pending = batch;
  batch = [];
  const created = commit.immediate(pending);
  pending.forEach((one, index) => answerCreate(one, created[index] === true));
}

serve({
  create: (pending) => {
    if (BENCH_COMMIT === 'single') {
      const { id, name, tag } = pending.plant;
      answerCreate(pending, insert.run(id, name, tag ?? null).changes === 1);
      return;
    }
    if (batch.push(pending) === 1) setImmediate(flush);
  },
  read: (pending) => answerRead(pending, find.get(pending.id)),
  page: (pending) => answerPage(pending, list.all(pending.after, pending.limit)),
});

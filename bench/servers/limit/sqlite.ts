/**
 * The limit of this stack on SQLite: `node:http` and better-sqlite3, without framework, validation or log. One transaction commits all
 * creates that arrive in a turn of the event loop, and their responses follow the sync to disk.
 */
import Database from 'better-sqlite3';
import { type Create, serve } from './serve.js';

const { BENCH_DATABASE = '' } = process.env;
const database = new Database(BENCH_DATABASE.replace('sqlite:', ''));
database.pragma('journal_mode = WAL');
database.pragma('synchronous = FULL');
database.exec('CREATE TABLE plants (id INTEGER PRIMARY KEY NOT NULL, name TEXT NOT NULL, tag TEXT) STRICT');
const insert = database.prepare('INSERT INTO plants (id, name, tag) VALUES (?, ?, ?) ON CONFLICT DO NOTHING');
const find = database.prepare<[number], object>('SELECT id, name, tag FROM plants WHERE id = ?');
const list = database.prepare<[number, number], object>(
  'SELECT id, name, tag FROM plants WHERE id > ? ORDER BY id LIMIT ?',
);

let batch: Create[] = [];

const commit = database.transaction((creates: readonly Create[]) =>
  creates.map(({ plant }) => insert.run(plant.id, plant.name, plant.tag ?? null).changes === 1),
);

function flush(): void {
  const creates = batch;
  batch = [];
  const created = commit.immediate(creates);
  creates.forEach(({ respond }, index) => respond(created[index] === true));
}

serve({
  create: (create) => {
    if (batch.push(create) === 1) setImmediate(flush);
  },
  read: ({ id, respond }) => respond(find.get(id)),
  page: (after, limit, respond) => respond(list.all(after, limit)),
});

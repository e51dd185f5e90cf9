/**
 * The limit of this stack, written by hand: `node:http` and better-sqlite3, and nothing that a service needs besides.
 *
 * `BENCH_COMMIT=group` commits what has arrived in one turn of the event loop together, `BENCH_COMMIT=single` each
 * create by itself. Both sync every commit to disk, and answer only then.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import Database from 'better-sqlite3';

interface NewPlant {
  readonly id: number;
  readonly name: string;
  readonly tag?: string;
}

interface Pending {
  readonly plant: NewPlant;
  readonly response: ServerResponse;
}

const { BENCH_COMMIT, BENCH_DATABASE = '', BENCH_PORT, BENCH_TOKEN } = process.env;
const authorization = `Bearer ${BENCH_TOKEN}`;
const database = new Database(BENCH_DATABASE);
database.pragma('journal_mode = WAL');
database.pragma('synchronous = FULL');
database.exec('CREATE TABLE plants (id INTEGER PRIMARY KEY NOT NULL, name TEXT NOT NULL, tag TEXT) STRICT');
const insert = database.prepare('INSERT INTO plants (id, name, tag) VALUES (?, ?, ?) ON CONFLICT DO NOTHING');

let batch: Pending[] = [];

const commit = database.transaction((pending: readonly Pending[]) =>
  pending.map(({ plant }) => insert.run(plant.id, plant.name, plant.tag ?? null).changes === 1),
);

function flush(): void {
  const pending = batch;
  batch = [];
  const created = commit.immediate(pending);
  pending.forEach((one, index) => answer(one, created[index] === true));
}

function create(pending: Pending): void {
  if (BENCH_COMMIT === 'single') {
    const { id, name, tag } = pending.plant;
    answer(pending, insert.run(id, name, tag ?? null).changes === 1);
    return;
  }
  if (batch.push(pending) === 1) setImmediate(flush);
}

function answer({ plant, response }: Pending, created: boolean): void {
  const { name, tag } = plant;
  if (created) send(response, 200, { name, tag });
  else send(response, 400, { error: 40900, message: 'The id is taken.' });
}

function send(response: ServerResponse, status: number, body: object): void {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(text),
  });
  response.end(text);
}

createServer((request: IncomingMessage, response: ServerResponse) => {
  if (request.headers.authorization !== authorization) {
    send(response, 401, { error: 40100, message: 'An access token is needed.' });
    return;
  }
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const plant = JSON.parse(Buffer.concat(chunks).toString()) as NewPlant;
    if (Number.isSafeInteger(plant.id) && typeof plant.name === 'string') create({ plant, response });
    else send(response, 400, { error: 40001, message: 'The body is not valid.' });
  });
}).listen(Number(BENCH_PORT), '127.0.0.1');

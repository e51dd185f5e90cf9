import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

export interface NewPlant {
  readonly id: number;
  readonly name: string;
  readonly tag?: string;
}

/** A create that waits for its answer. */
export interface PendingCreate {
  readonly plant: NewPlant;
  readonly response: ServerResponse;
}

/** A read that waits for its answer. */
export interface PendingRead {
  readonly id: number;
  readonly response: ServerResponse;
}

/** A page that waits for its answer: so many plants behind an id. */
export interface PendingPage {
  readonly after: number;
  readonly limit: number;
  readonly response: ServerResponse;
}

/** What a database does; each takes over a request, which one of the functions below ends. */
export interface Store {
  create(pending: PendingCreate): void;
  read(pending: PendingRead): void;
  page(pending: PendingPage): void;
}

const { BENCH_PORT, BENCH_TOKEN } = process.env;
const authorization = `Bearer ${BENCH_TOKEN}`;
const PATH = '/plants/';
const PAGE = /^\/plants\?limit=(\d+)&after=(\d+)$/;

/** The HTTP part of the limit, whatever the database. */
export function serve(store: Store): void {
  createServer((request: IncomingMessage, response: ServerResponse) => {
    const { method, url = '', headers } = request;
    if (headers.authorization !== authorization) {
      send(response, 401, { error: 40100, message: 'An access token is needed.' });
    } else if (method === 'POST') readBody(request, response, store);
    else if (url.startsWith(PATH)) store.read({ id: Number(url.slice(PATH.length)), response });
    else {
      const [, limit, after] = PAGE.exec(url) ?? [];
      store.page({ after: Number(after), limit: Number(limit), response });
    }
  }).listen(Number(BENCH_PORT), '127.0.0.1');
}

function readBody(request: IncomingMessage, response: ServerResponse, store: Store): void {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const plant = JSON.parse(Buffer.concat(chunks).toString()) as NewPlant;
    if (Number.isSafeInteger(plant.id) && typeof plant.name === 'string') store.create({ plant, response });
    else send(response, 400, { error: 40001, message: 'The body is not valid.' });
  });
}

export function answerCreate({ plant, response }: PendingCreate, created: boolean): void {
  const { name, tag } = plant;
  if (created) send(response, 200, { name, tag });
  else send(response, 400, { error: 40900, message: 'The id is taken.' });
}

export function answerRead({ response }: PendingRead, plant: object | undefined): void {
  if (plant !== undefined) send(response, 200, plant);
  else send(response, 404, { error: 40401, message: 'There is no such plant.' });
}

export function answerPage({ response }: PendingPage, plants: readonly object[]): void {
  send(response, 200, plants);
}

function send(response: ServerResponse, status: number, body: object): void {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(text),
  });
  response.end(text);
}

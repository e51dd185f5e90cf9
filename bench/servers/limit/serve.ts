import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

export interface NewPlant {
  readonly id: number;
  readonly name: string;
  readonly tag?: string;
}

/** A create that waits for its response. */
export interface Create {
  readonly plant: NewPlant;
  readonly respond: (created: boolean) => void;
}

/** A read that waits for its response. */
export interface Read {
  readonly id: number;
  readonly respond: (plant: object | undefined) => void;
}

/** What a database does. */
export interface Store {
  create(create: Create): void;
  read(read: Read): void;
  page(after: number, limit: number, respond: (plants: readonly object[]) => void): void;
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
    else if (url.startsWith(PATH)) {
      const respond = (plant: object | undefined) =>
        plant === undefined
          ? send(response, 404, { error: 40401, message: 'There is no such plant.' })
          : send(response, 200, plant);
      store.read({ id: Number(url.slice(PATH.length)), respond });
    } else {
      const [, limit, after] = PAGE.exec(url) ?? [];
      store.page(Number(after), Number(limit), (plants) => send(response, 200, plants));
    }
  }).listen(Number(BENCH_PORT), '127.0.0.1');
}

function readBody(request: IncomingMessage, response: ServerResponse, store: Store): void {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const plant = JSON.parse(Buffer.concat(chunks).toString()) as NewPlant;
    const { id, name, tag } = plant;
    const respond = (created: boolean) =>
      created
        ? send(response, 200, { name, tag })
        : send(response, 400, { error: 40900, message: 'The id is taken.' });
    if (Number.isSafeInteger(id) && typeof name === 'string') store.create({ plant, respond });
    else send(response, 400, { error: 40001, message: 'The body is not valid.' });
  });
}

function send(response: ServerResponse, status: number, body: object): void {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(text),
  });
  response.end(text);
}

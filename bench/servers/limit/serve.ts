import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

export interface NewPlant {
  readonly id: number;
  readonly name: string;
  readonly tag?: string;
}

/** A create that waits for its answer. */
export interface Pending {
  readonly plant: NewPlant;
  readonly response: ServerResponse;
}

const { BENCH_PORT, BENCH_TOKEN } = process.env;
const authorization = `Bearer ${BENCH_TOKEN}`;

/** The HTTP part of the limit, whatever the database: hands over every create, which `answer` ends. */
export function serve(create: (pending: Pending) => void): void {
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
}

export function answer({ plant, response }: Pending, created: boolean): void {
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

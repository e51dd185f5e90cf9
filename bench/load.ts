import { connect, type Socket } from 'node:net';
import type { BenchDatabase } from './databases.js';
import type { Operation, ServerProcess } from './servers.js';

/** Each connection has one request at a time. */
export interface Load {
  readonly connections: number;
  readonly seconds: number;
}

/** What requests cost, as sums. */
export interface Cost {
  readonly seconds: number;
  readonly cpuUs: number;
  readonly databaseCpuUs: number;
  /** In milliseconds, of each request. */
  readonly latencies: readonly number[];
}

/** A request, and the number of ids in the body of the right response. */
export interface Exchange {
  readonly request: string;
  readonly ids: number;
}

/** Creates a plant. */
export function create(server: ServerProcess, id: number): Exchange {
  const body = `{"id":${id},"name":"Monstera deliciosa","tag":"houseplant"}`;
  const headers = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
  return { request: `${headOf(server, 'POST /plants', headers)}${body}`, ids: 0 };
}

/** Gets plants. */
export function get(server: ServerProcess, path: string, ids: number): Exchange {
  return { request: headOf(server, `GET ${path}`), ids };
}

function headOf({ token }: ServerProcess, line: string, headers = ''): string {
  return `${line} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n${headers}\r\n`;
}

/** Plants that are read, one after the other. */
const READ = 300;
const FIRST_ID = 1_000_000_000;

/** The requests of each operation: creates in ascending order of id, and reads of the first of these plants. */
export function operationsOn(server: ServerProcess): Record<Operation, () => Exchange> {
  let created = 0;
  let read = 0;
  const nextRead = () => FIRST_ID + (read++ % READ);
  return {
    create: () => create(server, FIRST_ID + created++),
    read: () => get(server, `/plants/${nextRead()}`, 1),
    'page of 100': () => get(server, `/plants?limit=100&after=${nextRead()}`, 100),
  };
}

/**
 * Sends requests until the time is over, waits for the last responses, and returns what this cost the server and its database.
 *
 * @throws Error unless every response is right.
 */
export async function measureLoad(
  server: ServerProcess,
  database: BenchDatabase,
  { connections, seconds }: Load,
  next: () => Exchange,
): Promise<Cost> {
  return measureCost(server, database, async () => {
    const latencies: number[] = [];
    const end = performance.now() + seconds * 1000;
    const nextInTime = () => (performance.now() < end ? next() : undefined);
    await Promise.all(
      Array.from({ length: connections }, () => converse(Number(server.url.port), nextInTime, latencies)),
    );
    return latencies;
  });
}

/** Measures what work costs that returns the milliseconds of each request. */
export async function measureCost(
  server: ServerProcess,
  database: BenchDatabase,
  work: () => Promise<readonly number[]>,
): Promise<Cost> {
  const [cpuBefore, databaseBefore, startedAt] = [server.cpuUs(), database.cpuUs(), performance.now()];
  const latencies = await work();
  return {
    seconds: (performance.now() - startedAt) / 1000,
    cpuUs: server.cpuUs() - cpuBefore,
    databaseCpuUs: database.cpuUs() - databaseBefore,
    latencies,
  };
}

/** One connection: a request, its response, the next request. */
async function converse(port: number, next: () => Exchange | undefined, latencies: number[]): Promise<void> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  try {
    for (let exchange = next(); exchange !== undefined; exchange = next()) {
      const sentAt = performance.now();
      socket.write(exchange.request);
      const response = await responseOf(socket);
      if (!response.startsWith('HTTP/1.1 200') || response.split('"id":').length - 1 !== exchange.ids)
        throw new Error(`Not the right response to ${exchange.request}\n${response}`);
      latencies.push(performance.now() - sentAt);
    }
  } finally {
    socket.destroy();
  }
}

/** Reads a response that has a `Content-Length`. */
async function responseOf(socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const end = (error?: Error) => {
      socket.off('data', read).off('close', closed).off('error', end);
      if (error === undefined) resolve(text);
      else reject(error);
    };
    const closed = () => end(new Error('The server has closed the connection.'));
    const read = (chunk: Buffer) => {
      text += chunk.toString('latin1');
      const body = text.indexOf('\r\n\r\n') + 4;
      if (body < 4) return;
      const [, length] = /\r\nContent-Length: (\d+)\r\n/i.exec(text) ?? [];
      if (length === undefined) end(new Error(`A response without a length: ${text}`));
      else if (text.length >= body + Number(length)) end();
    };
    socket.on('data', read).on('close', closed).on('error', end);
  });
}

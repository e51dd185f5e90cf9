import { once } from 'node:events';
import { type Agent, type ClientRequest, type IncomingMessage, request as send } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { onTestFinished } from 'vitest';
import { type Service, TOKEN } from '../service.js';
import { temporaryFolder } from '../temporary-folder.js';

/** A request and its answer, both of which take as long as the test wants. */
export interface Exchange {
  readonly request: ClientRequest;
  /** The answer, as soon as its headers are there; nothing of it is read until `received` or `body` is asked for. */
  readonly response: Promise<IncomingMessage>;
  /** The whole lines of the answer, as soon as there are so many. */
  lines(count: number): Promise<string[]>;
  /** The whole answer; rejects when it breaks off. */
  body(): Promise<string>;
}

interface Options {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly agent?: Agent;
  /** Instead of the port. */
  readonly socketPath?: string;
}

/** Begins to import plants; the connection is gone when the test is over. */
export function beginImport(service: Service, options: Options = {}): Exchange {
  return begin(service, '/plants/import', {
    method: 'POST',
    ...options,
    headers: { 'Content-Type': 'application/x-ndjson', ...options.headers },
  });
}

/** Begins to export plants. */
export function beginExport(service: Service, options: Options = {}): Exchange {
  const exchange = begin(service, '/plants/export', options);
  exchange.request.end();
  return exchange;
}

/** Another way to a service: a socket that holds 200 KiB of an answer, where one of TCP holds some MiB. */
export async function smallSocket(service: Service): Promise<string> {
  const path = join(temporaryFolder(), 'socket');
  const server = createServer((socket) => service.app.getHttpServer().emit('connection', socket));
  onTestFinished(() => void server.close());
  await once(server.listen(path), 'listening');
  return path;
}

function begin({ port }: Service, path: string, { method = 'GET', headers, ...where }: Options): Exchange {
  const request = send({
    host: '127.0.0.1',
    port,
    path,
    method,
    headers: { Authorization: `Bearer ${TOKEN}`, ...headers },
    ...where,
  });
  onTestFinished(() => void request.destroy());
  // Whoever waits for the answer learns of it there.
  request.on('error', () => undefined);
  const response = once(request, 'response').then(([message]: IncomingMessage[]) => {
    if (message === undefined) throw new Error('There is no answer.');
    return message;
  });
  response.catch(() => undefined);
  let text = '';
  const read = async () => {
    const message = await response;
    message.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    await finished(message);
  };
  let reading: Promise<void> | undefined;
  const start = () => {
    reading ??= read();
    reading.catch(() => undefined);
    return reading;
  };
  return {
    request,
    response,
    lines: async (count) => {
      const ended = start();
      const message = await response;
      while (text.split('\n').length <= count) await Promise.race([once(message, 'data'), ended]);
      return text.split('\n').slice(0, -1);
    },
    body: async () => {
      await start();
      return text;
    },
  };
}

import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { type Change, parseExactIds } from './changes.js';

/** A request that a receiver of webhooks has got. */
export interface Delivered {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly changes: readonly Change[];
}

/** What a receiver does with a request: a status, or whatever a listener does. */
export type Reaction = number | RequestListener;

/** A receiver of webhooks on a free port, which does with each request what the next reaction says, and takes all others. */
export class Receiver {
  readonly requests: Delivered[] = [];
  /** Requests that it has answered by 2xx. */
  readonly taken: Delivered[] = [];
  readonly reactions: Reaction[] = [];
  private origin = '';

  private constructor(private readonly server: Server | TlsServer) {
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      let body = '';
      request.setEncoding('utf8').on('data', (part: string) => (body += part));
      request.on('end', () => {
        const delivered = { headers: request.headers, body, changes: changesOf(body) };
        this.requests.push(delivered);
        const reaction = this.reactions.shift() ?? 204;
        if (typeof reaction === 'function') {
          reaction(request, response);
          return;
        }
        if (reaction < 300) this.taken.push(delivered);
        response.writeHead(reaction).end();
      });
    });
  }

  /** @param tls makes it one for https, by the name that the certificate has. */
  static async start(tls?: { readonly cert: string; readonly key: string }): Promise<Receiver> {
    const server = tls === undefined ? createServer() : createTlsServer(tls);
    const receiver = new Receiver(server);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    receiver.origin = tls === undefined ? `http://127.0.0.1:${port}` : `https://localhost:${port}`;
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    return receiver;
  }

  get url(): string {
    return `${this.origin}/hook?token=a-secret-of-the-url`;
  }

  /** The names of the plants that it has taken, in their order. */
  get names(): string[] {
    return this.taken.flatMap(({ changes }) => changes.map(({ plant }) => plant.name));
  }
}

function changesOf(body: string): Change[] {
  const { data } = parseExactIds(body) as { data: Change[] };
  return data;
}

import { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Express } from 'express';

/** The chunks of a body that may have any size, and the minimum average bytes of a chunk beyond that. */
const FREE_CHUNKS = 1_024;
const LEAST_CHUNK_BYTES = 16;

/**
 * Makes the classes of requests and responses, with Express's prototypes (https://expressjs.com/en/guide/overriding-express-api.html).
 * Express would otherwise change the prototype of each message, which costs 5 % of a read.
 *
 * @param isFree whether a request may start on a connection.
 */
export function expressMessages(instance: Express, isFree: (socket: Socket) => boolean) {
  class ExpressRequest extends IncomingMessage {
    private readonly mayStart = isFree(this.socket);
    private chunks = 0;
    private bytes = 0;

    /**
     * Node reads this after the headers of each request. For `true` it emits `connect` or `upgrade` instead of `request`, and
     * stops parsing: thousands of pipelined requests in one packet cost nothing.
     */
    get upgrade(): boolean {
      return this.method === 'CONNECT' || !this.mayStart;
    }

    /** Ignores Node's value, which is true if the headers ask for another protocol: the service has none. */
    set upgrade(_: boolean) {}

    override on(...[event, listener]: Parameters<IncomingMessage['on']>): this {
      if (event === 'data' || event === 'readable') this.exchange?.beginBody();
      return super.on(event, listener);
    }

    /** Cuts off a body of tiny chunks: each takes as much memory and time as a large one. */
    override push(chunk: Buffer | null, encoding?: BufferEncoding): boolean {
      if (this.exchange?.receive(chunk?.length ?? 0) === false) return false;
      if (chunk !== null) {
        this.chunks += 1;
        this.bytes += chunk.length;
        if (this.chunks > FREE_CHUNKS && this.bytes < this.chunks * LEAST_CHUNK_BYTES) this.destroy();
        if (this.destroyed) return false;
      }
      return super.push(chunk, encoding);
    }
  }
  class ExpressResponse extends ServerResponse<ExpressRequest> {}
  instance.request = Object.setPrototypeOf(ExpressRequest.prototype, instance.request) as Express['request'];
  instance.response = Object.setPrototypeOf(
    ExpressResponse.prototype,
    instance.response,
  ) as Express['response'];
  return { IncomingMessage: ExpressRequest, ServerResponse: ExpressResponse };
}

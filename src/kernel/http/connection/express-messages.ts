import { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Express } from 'express';
import type { Exchange, OfExchange } from './exchange.js';

/**
 * Makes the classes of requests and responses, with Express's prototypes (https://expressjs.com/en/guide/overriding-express-api.html).
 * Express would otherwise change the prototype of each message, which costs 5 % of a read.
 *
 * @param isFree whether a request may start on a connection.
 */
export function expressMessages(instance: Express, isFree: (socket: Socket) => boolean) {
  class ExpressRequest extends IncomingMessage implements OfExchange {
    declare exchange?: Exchange;
    private readonly mayStart = isFree(this.socket);

    /**
     * Node reads this after the headers of each request. For `true` it emits `connect` or `upgrade` instead of `request`, and
     * stops parsing: thousands of pipelined requests in one packet cost nothing.
     */
    get upgrade(): boolean {
      return this.method === 'CONNECT' || !this.mayStart;
    }

    /** Ignores Node's value, which is true if the headers ask for another protocol: the service has none. */
    set upgrade(_: boolean) {}

    override push(chunk: Buffer | null, encoding?: BufferEncoding): boolean {
      // What nobody may have is read and dropped, so that the client gets its response.
      if (chunk !== null && this.exchange?.receive(chunk.length) === false) return true;
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

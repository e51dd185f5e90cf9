import { IncomingMessage, ServerResponse } from 'node:http';
import type { Express } from 'express';

/** Chunks that a body may have of any size, and the bytes that those of a longer one have at least on the average. */
const FREE_PIECES = 1024;
const MIN_PIECE = 16;

/**
 * The classes of which the server makes requests and responses, so that they are Express's own from the start.
 *
 * Otherwise Express gives each of them another prototype when it is handled, which makes everything that V8 has learned
 * about such objects useless: 6 µs a request (docs/performance.md).
 */
export function expressMessages(instance: Express) {
  class ExpressRequest extends IncomingMessage {
    private pieces = 0;
    private length = 0;

    /** Cuts off a body of tiny chunks: each costs as much as a large one. */
    override push(piece: Buffer | null, encoding?: BufferEncoding): boolean {
      if (piece !== null) {
        this.pieces += 1;
        this.length += piece.length;
        if (this.pieces > FREE_PIECES && this.length < this.pieces * MIN_PIECE) this.destroy();
        if (this.destroyed) return false;
      }
      return super.push(piece, encoding);
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

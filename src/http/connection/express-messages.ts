import { IncomingMessage, ServerResponse } from 'node:http';
import type { Express } from 'express';

/**
 * The classes of which the server makes requests and responses, so that they are Express's own from the start.
 *
 * Otherwise Express gives each of them another prototype when it is handled, which makes everything that V8 has learned
 * about such objects useless: 6 µs a request (docs/performance.md).
 */
export function expressMessages(instance: Express) {
  class ExpressRequest extends IncomingMessage {}
  class ExpressResponse extends ServerResponse<ExpressRequest> {}
  instance.request = Object.setPrototypeOf(ExpressRequest.prototype, instance.request) as Express['request'];
  instance.response = Object.setPrototypeOf(
    ExpressResponse.prototype,
    instance.response,
  ) as Express['response'];
  return { IncomingMessage: ExpressRequest, ServerResponse: ExpressResponse };
}

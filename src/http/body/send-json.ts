import type { ServerResponse } from 'node:http';
import { currentRequest } from '../../logging/request-context.js';
import { Json } from '../../store/table.js';
import { stringifyExactJson } from './exact-json.js';

/**
 * Ends a response with a JSON body. Node leaves the body out of the answer to a HEAD request.
 *
 * @throws ApiException 50300 when a large body takes more memory than there is; an Error is small, and always gets through.
 */
export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  const json = body instanceof Json ? body.text : stringifyExactJson(body);
  const length = Buffer.byteLength(json);
  if (status < 400) response.exchange.hold(length);
  const request = currentRequest();
  if (request !== undefined) request.answeredAt = performance.now();
  // As text, because Node sends head and body in one write then, where a buffer would take two.
  response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': length }).end(json);
}

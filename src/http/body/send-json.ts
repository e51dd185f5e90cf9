import type { ServerResponse } from 'node:http';
import { currentRequest } from '../../logging/request-context.js';
import { Json } from '../../store/table.js';
import { stringifyExactJson } from './exact-json.js';

/** Ends a response with a JSON body. @throws ApiException 50300 when too many large ones are under way */
export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  const json = body instanceof Json ? body.text : stringifyExactJson(body);
  const length = Buffer.byteLength(json);
  response.exchange.hold(length);
  const request = currentRequest();
  if (request !== undefined) request.answeredAt = performance.now();
  // Node sends the headers and a text in one write, but not the headers and a buffer.
  response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': length }).end(json);
}

import type { ServerResponse } from 'node:http';
import { stringifyExactJson } from './exact-json.js';

/** Ends a response with a JSON body. Node leaves the body out of the answer to a HEAD request. */
export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  const json = stringifyExactJson(body);
  // As text, because Node sends head and body in one write then, where a buffer would take two.
  response
    .writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(json) })
    .end(json);
}

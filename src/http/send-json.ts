import type { Response } from 'express';
import { stringifyExactJson } from './exact-json.js';

/** Ends a response with a JSON body. Node leaves the body out of the answer to a HEAD request. */
export function sendJson(response: Response, status: number, body: unknown): void {
  const json = Buffer.from(stringifyExactJson(body));
  response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': json.length }).end(json);
}

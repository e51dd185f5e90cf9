import { randomUUID } from 'node:crypto';
import type { NextFunction, Request, Response } from 'express';
import { parseTraceparent, RequestContext, runOnBehalfOf } from '../../logging/request-context.js';

export const REQUEST_ID_HEADER = 'X-Request-Id';

/** What an id given by a client or a proxy may look like; anything else could forge log lines or bloat them. */
const SANE_ID = /^[\w.:@/+=-]{1,128}$/;

/** Names the request: every answer and every log line on its behalf carries the id, and log lines the trace of its client. */
export function requestId(request: Request, response: Response, next: NextFunction): void {
  const given = request.get(REQUEST_ID_HEADER);
  const id = given !== undefined && SANE_ID.test(given) ? given : randomUUID();
  response.setHeader(REQUEST_ID_HEADER, id);
  const context = new RequestContext(id, parseTraceparent(request.headers['traceparent']));
  context.waited.turn = response.exchange.turnMs;
  runOnBehalfOf(context, next);
}

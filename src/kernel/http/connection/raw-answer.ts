import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { Logger } from '@nestjs/common';
import { answeredErrors, RETRY_AFTER } from '../../errors/api.exception.js';
import { ErrorValue, statusOf } from '../../errors/error-value.js';
import { REQUEST_ID_HEADER } from '../server/middleware.js';
import { GRACE_MS } from './exchange.js';

const logger = new Logger('Connections');

/** The value and the message of the Error that refuses a request. */
export type Refusal = readonly [error: ErrorValue, message: string];

export const REQUEST_TIMEOUT: Refusal = [ErrorValue.RequestTimeout, 'The request did not arrive in time.'];
const HEADERS_TOO_LARGE: Refusal = [ErrorValue.HeadersTooLarge, 'The header section is too large.'];
/** For an unknown method, on any path (RFC 9110, section 15.6.2). */
export const NOT_IMPLEMENTED: Refusal = [ErrorValue.NotImplemented, 'The service implements no such method.'];
export const TOO_MANY_CONNECTIONS: Refusal = [ErrorValue.Unavailable, 'Too many connections are open.'];

/** Maps an error of Node's parser to the Error that the client gets. */
export function refusalOf({ code }: NodeJS.ErrnoException): Refusal {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return REQUEST_TIMEOUT;
  if (code === 'HPE_HEADER_OVERFLOW') return HEADERS_TOO_LARGE;
  // As of `fetch(address, { method: 'patch' })`, which fetch sends as it is.
  if (code === 'HPE_INVALID_METHOD')
    return [ErrorValue.MalformedRequest, 'The method is unknown. Methods are upper-case, such as PATCH.'];
  return [ErrorValue.MalformedRequest, 'The message is not valid HTTP/1.1.'];
}

/** Sends an Error on a connection without a parsed request, and closes it. */
export function answerRaw(socket: Socket, [error, message]: Refusal): void {
  answeredErrors.publish(error);
  const status = statusOf(error);
  const body = JSON.stringify({ error, message });
  const requestId = randomUUID();
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    `Date: ${new Date().toUTCString()}`,
    'Connection: close',
    'Content-Type: application/json',
    ...(error === ErrorValue.Unavailable ? [`Retry-After: ${RETRY_AFTER}`] : []),
    `Content-Length: ${Buffer.byteLength(body)}`,
    `${REQUEST_ID_HEADER}: ${requestId}`,
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () =>
    setTimeout(() => socket.destroy(), GRACE_MS).unref(),
  );
  logger.log(`Refused a connection of ${socket.remoteAddress} with ${status}, request id ${requestId}.`);
}

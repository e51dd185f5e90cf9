import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { ErrorValue, statusOf } from '../errors/error-value.js';
import { REQUEST_ID_HEADER } from './request-id.js';

const ANSWERS: Readonly<Record<string, readonly [ErrorValue, string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: [ErrorValue.RequestTimeout, 'The request did not arrive in time.'],
  HPE_HEADER_OVERFLOW: [ErrorValue.HeadersTooLarge, 'The header section is too large.'],
};
const MALFORMED = [ErrorValue.MalformedRequest, 'The message is not valid HTTP/1.1.'] as const;

/** Answers what never became a request (slow, oversized or malformed) with an Error, and ends the connection. */
export function answerConnectionError(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const [value, message] = ANSWERS[error.code ?? ''] ?? MALFORMED;
  const status = statusOf(value);
  const body = JSON.stringify({ error: value, message });
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Connection: close',
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `${REQUEST_ID_HEADER}: ${randomUUID()}`,
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}

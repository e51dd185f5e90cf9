import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { Logger } from '@nestjs/common';
import { answeredErrors, RETRY_AFTER } from '../../errors/api.exception.js';
import { ErrorValue, statusOf } from '../../errors/error-value.js';
import { REQUEST_ID_HEADER } from '../server/request-id.js';

const logger = new Logger('Connections');

/**
 * Milliseconds that a client which is still sending may take to notice that it is answered: a connection that is closed while
 * data comes in is reset, and the client might never see the answer.
 */
const GRACE_MS = 500;

/** Answers what never became a request, so that there is no response to write to, and ends the connection. */
export function answerRaw(socket: Socket, error: ErrorValue, message: string): void {
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
  logger.log(
    `Answered ${status} to what was no request, from ${socket.remoteAddress}, under the id ${requestId}.`,
  );
}

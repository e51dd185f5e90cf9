import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { Logger } from '@nestjs/common';
import { ErrorValue, statusOf } from '../../errors/error-value.js';
import { REQUEST_ID_HEADER } from '../request-id.js';

const logger = new Logger('Connections');

/** Answers what never became a request, so that there is no response to write to, and ends the connection. */
export function answerRaw(socket: Duplex, error: ErrorValue, message: string): void {
  const status = statusOf(error);
  const body = JSON.stringify({ error, message });
  const requestId = randomUUID();
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    `Date: ${new Date().toUTCString()}`,
    'Connection: close',
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `${REQUEST_ID_HEADER}: ${requestId}`,
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
  logger.log(`Answered ${status} to what was no request, under the id ${requestId}.`);
}

import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { Logger } from '@nestjs/common';
import { ErrorValue, statusOf } from '../errors/error-value.js';
import { breakOff } from './break-off.js';
import { hasClientDeadline } from './client-deadline.js';
import { REQUEST_ID_HEADER } from './request-id.js';

const TIMEOUT = 'ERR_HTTP_REQUEST_TIMEOUT';
const ANSWERS: Readonly<Record<string, readonly [ErrorValue, string]>> = {
  [TIMEOUT]: [ErrorValue.RequestTimeout, 'The request did not arrive in time.'],
  HPE_HEADER_OVERFLOW: [ErrorValue.HeadersTooLarge, 'The header section is too large.'],
};
const MALFORMED = [ErrorValue.MalformedRequest, 'The message is not valid HTTP/1.1.'] as const;

/** Answers what is slow, oversized or malformed on a connection with an Error, and ends the connection. */
export class ConnectionErrors {
  private readonly logger = new Logger(ConnectionErrors.name);
  /** The latest request of each connection, with its response. */
  private readonly latest = new WeakMap<Duplex, ServerResponse>();

  /** Remembers the request that a connection is busy with; returns the response to the one before. */
  watch(request: IncomingMessage, response: ServerResponse): ServerResponse | undefined {
    const previous = this.latest.get(request.socket);
    this.latest.set(request.socket, response);
    return previous;
  }

  /** Whether the answer on a connection is written, but not yet taken by the client. */
  isSending(socket: Duplex): boolean {
    const response = this.latest.get(socket);
    return response !== undefined && response.writableEnded && !response.writableFinished;
  }

  /** Listens to `clientError` of the server. */
  answer(error: NodeJS.ErrnoException, socket: Duplex): void {
    const response = this.latest.get(socket);
    const isBusy = response !== undefined && !response.writableEnded;
    const hasHalfRequest = response?.req.complete === false;
    if (!socket.writable || error.code === 'ECONNRESET' || (hasHalfRequest && !isBusy)) {
      // Nobody is there, or the rest of a request came that was refused long ago.
      socket.destroy();
      return;
    }
    // Node tells of it once for each request; one that streams may take as long as it gets on.
    if (error.code === TIMEOUT && isBusy && hasHalfRequest && hasClientDeadline(response)) return;
    const [value, message] = ANSWERS[error.code ?? ''] ?? MALFORMED;
    if (!isBusy) this.answerRaw(socket, statusOf(value), JSON.stringify({ error: value, message }));
    // A whole request is being answered, and what follows it is broken: the answer is the last one.
    else if (!hasHalfRequest) response.shouldKeepAlive = false;
    else breakOff(response, value, message);
  }

  /** Answers what never became a request, so that there is no response to write to. */
  private answerRaw(socket: Duplex, status: number, body: string): void {
    const requestId = randomUUID();
    const head = [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      'Connection: close',
      'Content-Type: application/json',
      `Content-Length: ${Buffer.byteLength(body)}`,
      `${REQUEST_ID_HEADER}: ${requestId}`,
    ];
    socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
    this.logger.log(`Answered ${status} to what was no request, under the id ${requestId}.`);
  }
}

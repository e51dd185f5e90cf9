import { randomUUID } from 'node:crypto';
import { IncomingMessage, type Server, ServerResponse } from 'node:http';
import { type Socket, Server as TcpServer } from 'node:net';
import { Logger } from '@nestjs/common';
import type { Settings } from '../../config/settings.js';
import { ApiException, answeredErrors } from '../../errors/api.exception.js';
import { ErrorValue } from '../../errors/error-value.js';
import { Exchange } from './exchange.js';

/** Milliseconds by which Node may report a timeout late. */
const CHECKING_MS = 1_500;

/**
 * The connections of a server. Each has one exchange at a time: a request that arrives during another one is not started, and
 * the connection closes after the response (RFC 9112, section 9.3.2). Node would start every request that has arrived.
 */
export class Connections {
  private readonly logger = new Logger(Connections.name);
  /** The latest exchange of each connection, until its request and its response are complete. */
  private readonly exchanges = new Map<Socket, Exchange | undefined>();
  private readonly all = { heldBytes: 0 };

  constructor(
    private readonly handle: (request: IncomingMessage, response: ServerResponse) => void,
    private readonly timeouts: Settings['timeouts'],
  ) {}

  /** Takes over the connections of a server. */
  watch(server: Server): void {
    // The system failed to accept a connection.
    server.on('error', (error) => server.listening && this.logger.warn(error));
    server.on('connection', (socket) => {
      this.exchanges.set(socket, undefined);
      socket.once('close', () => this.exchanges.delete(socket));
    });
    const accept = (request: IncomingMessage, response: ServerResponse) => this.accept(request, response);
    // An unknown expectation may be ignored (RFC 9110, section 10.1.1); Node would answer 417 without an Error.
    server.on('request', accept).on('checkExpectation', accept);
    server.on('clientError', (error, socket) => this.refuse(error, socket as Socket));
    server.on('upgrade', (_request: IncomingMessage, socket: Socket) => this.ignoreRest(socket));
    server.setTimeout(this.timeouts.request + CHECKING_MS, (socket) => this.cutIdle(socket));
  }

  /** Whether a connection has an exchange. */
  isBusy(socket: Socket): boolean {
    return this.exchanges.get(socket)?.hasEnded === false;
  }

  /** Stops listening, and closes each connection after its response; after a timeout, all that are still open. */
  async close(server: Server): Promise<void> {
    if (!server.listening) return;
    // `close()` of an HTTP server would cut responses that are still being sent.
    const closed = new Promise((resolve) => TcpServer.prototype.close.call(server, resolve));
    for (const [socket, exchange] of this.exchanges) {
      if (exchange === undefined || exchange.hasEnded) socket.destroy();
      else exchange.response.shouldKeepAlive = false;
    }
    const deadline = setTimeout(() => {
      for (const socket of this.exchanges.keys()) socket.destroy();
    }, this.timeouts.shutdown);
    await closed;
    clearTimeout(deadline);
    // Stops the timer with which Node checks for slow requests.
    server.close();
  }

  /** Closes a connection that is idle, or whose client does not read its response. A client that waits for one keeps its connection. */
  private cutIdle(socket: Socket): void {
    if (socket.writableLength > 0 || !this.isBusy(socket)) socket.destroy();
  }

  private accept(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    const exchange = new Exchange(request, response, this.all, this.timeouts.request);
    // Node's parser would treat everything after it as another protocol.
    if (request.headers.upgrade !== undefined) response.shouldKeepAlive = false;
    this.exchanges.set(socket, exchange);
    response.once('close', () => {
      exchange.end();
      if (request.complete && !socket.destroyed) this.exchanges.set(socket, undefined);
      // Node closes the connection only if the headers say `Connection: close`.
      if (!response.shouldKeepAlive) exchange.breakOff();
    });
    this.handle(request, response);
  }

  /** Refuses a slow, too large or malformed request, and closes its connection. */
  private refuse(error: NodeJS.ErrnoException, socket: Socket): void {
    const exchange = this.exchanges.get(socket);
    const refusal = new ApiException(...(REFUSALS[String(error.code)] ?? MALFORMED));
    if (exchange === undefined) {
      if (socket.writable) this.refuseConnection(socket, refusal);
      return;
    }
    const { request, response, hasEnded, isStreaming } = exchange;
    const isLate = refusal.error === ErrorValue.RequestTimeout;
    // The rest of a request that was already refused, or one whose client does not read the response.
    if (hasEnded || (isLate && response.writableEnded && !isStreaming)) socket.destroy();
    else if (!isLate || !isStreaming) {
      response.shouldKeepAlive = false;
      if (!response.writableEnded && !request.complete) exchange.fail(refusal);
    }
  }

  /** Sends an Error on a connection without a parsed request, and closes it. */
  private refuseConnection(socket: Socket, refusal: ApiException): void {
    const id = randomUUID();
    const request = Object.assign(new IncomingMessage(socket), { complete: true });
    const response = new ServerResponse(request).setHeader('X-Request-Id', id);
    response.assignSocket(socket);
    const exchange = new Exchange(request, response, this.all, this.timeouts.request);
    exchange.refuse(refusal);
    exchange.breakOff();
    exchange.end();
    answeredErrors.publish(refusal.error);
    this.logger.log(
      `Refused a connection of ${socket.remoteAddress} with ${refusal.getStatus()}, request id ${id}: ${refusal.message}`,
    );
  }

  /** Handles a connection that Node has detached, because a request may not start on it. */
  private ignoreRest(socket: Socket): void {
    socket.on('error', () => socket.destroy());
    socket.on('timeout', () => this.cutIdle(socket));
    const { response } = this.exchanges.get(socket) ?? {};
    if (response === undefined) return void socket.destroy();
    response.shouldKeepAlive = false;
    socket.on('drain', () => response.emit('drain'));
    // A close with unread data resets the connection, and the client loses the end of the response.
    response.once('finish', () => socket.resume());
  }
}

/** The errors of Node's parser that have an Error of their own. */
const REFUSALS: Readonly<Record<string, readonly [ErrorValue, message: string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: [ErrorValue.RequestTimeout, 'The request did not arrive in time.'],
  HPE_HEADER_OVERFLOW: [ErrorValue.HeadersTooLarge, 'The header section is too large.'],
  // As of `fetch(address, { method: 'patch' })`, which fetch sends as it is.
  HPE_INVALID_METHOD: [
    ErrorValue.MalformedRequest,
    'The method is unknown. Methods are upper-case, such as PATCH.',
  ],
};

const MALFORMED = [ErrorValue.MalformedRequest, 'The message is not valid HTTP/1.1.'] as const;

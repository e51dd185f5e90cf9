import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import { type Socket, Server as TcpServer } from 'node:net';
import { Logger } from '@nestjs/common';
import type { Settings } from '../../config/settings.js';
import { ApiException, answeredErrors } from '../../errors/api.exception.js';
import { ErrorValue } from '../../errors/error-value.js';
import { Exchange, type HeldMemory } from './exchange.js';

/** Open connections; more are closed at once. */
const MAX_CONNECTIONS = 10_000;

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
  private readonly held: HeldMemory = { bytes: 0 };

  constructor(
    private readonly handle: (request: IncomingMessage, response: ServerResponse) => void,
    private readonly timeouts: Settings['timeouts'],
  ) {}

  /** Takes over the connections of a server. */
  watch(server: Server): void {
    // A client that has half-closed its connection may still wait for the response.
    Object.assign(server, { httpAllowHalfOpen: true });
    server.maxConnections = MAX_CONNECTIONS;
    // The system failed to accept a connection.
    server.on('error', (error) => server.listening && this.logger.warn(error));
    server.on('connection', (socket) => {
      this.exchanges.set(socket, undefined);
      socket.once('close', () => this.exchanges.delete(socket));
    });
    // An unknown expectation may be ignored (RFC 9110, section 10.1.1); Node would answer 417 without an Error.
    for (const event of ['request', 'checkExpectation'])
      server.on(event, (request: IncomingMessage, response: ServerResponse) =>
        this.accept(request, response),
      );
    server.on('clientError', (error, socket) => this.refuse(error, socket as Socket));
    server.on('upgrade', (_request: IncomingMessage, socket: Socket) => this.ignoreRest(socket));
    server.setTimeout(this.timeouts.request + CHECKING_MS, (socket) => this.cutIdle(socket));
  }

  /** Whether a request may start on a connection. */
  isFree(socket: Socket): boolean {
    return socket.writable && !this.isBusy(socket);
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

  private isBusy(socket: Socket): boolean {
    return this.exchanges.get(socket)?.hasEnded === false;
  }

  /** Closes a connection that is idle, or whose client does not read its response. A client that waits for one keeps its connection. */
  private cutIdle(socket: Socket): void {
    if (socket.writableLength > 0 || !this.isBusy(socket)) socket.destroy();
  }

  private accept(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    const exchange = new Exchange(request, response, this.held, this.timeouts.request);
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
    const refusal = refusalOf(error);
    if (exchange === undefined) {
      if (socket.writable) this.answerRaw(socket, refusal);
    } else if (exchange.hasEnded) {
      // The rest of a request that was already refused.
      socket.destroy();
    } else {
      const isLate = refusal.error === ErrorValue.RequestTimeout;
      if (isLate && exchange.isStreaming) return;
      exchange.response.shouldKeepAlive = false;
      if (!exchange.response.writableEnded) {
        if (!exchange.request.complete) exchange.fail(refusal);
      } else if (isLate) socket.destroy();
    }
  }

  /** Sends an Error on a connection without a parsed request, and closes it. */
  private answerRaw(socket: Socket, { error, message, headers }: ApiException): void {
    answeredErrors.publish(error);
    const status = Math.trunc(error / 100);
    const body = JSON.stringify({ error, message });
    const id = randomUUID();
    const given = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.end(
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nDate: ${new Date().toUTCString()}\r\nConnection: close\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nX-Request-Id: ${id}\r\n${given.join('')}\r\n${body}`,
      () => socket.destroy(),
    );
    this.logger.log(
      `Refused a connection of ${socket.remoteAddress} with ${status}, request id ${id}: ${message}`,
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

/** 40800, 43100 or 40003, for an error of Node's parser. */
function refusalOf({ code }: NodeJS.ErrnoException): ApiException {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new ApiException(ErrorValue.RequestTimeout, 'The request did not arrive in time.');
  if (code === 'HPE_HEADER_OVERFLOW')
    return new ApiException(ErrorValue.HeadersTooLarge, 'The header section is too large.');
  // As of `fetch(address, { method: 'patch' })`, which fetch sends as it is.
  if (code === 'HPE_INVALID_METHOD')
    return new ApiException(
      ErrorValue.MalformedRequest,
      'The method is unknown. Methods are upper-case, such as PATCH.',
    );
  return new ApiException(ErrorValue.MalformedRequest, 'The message is not valid HTTP/1.1.');
}

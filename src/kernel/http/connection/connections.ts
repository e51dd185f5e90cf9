import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { type Socket, Server as TcpServer } from 'node:net';
import { setImmediate as turnOfTheEventLoop } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import type { Settings } from '../../config/settings.js';
import { ApiException } from '../../errors/api.exception.js';
import { Exchange, HeldMemory } from './exchange.js';
import {
  answerRaw,
  NOT_IMPLEMENTED,
  REQUEST_TIMEOUT,
  refusalOf,
  TOO_MANY_CONNECTIONS,
} from './raw-answer.js';

/** Connections beyond the limit that get a response; more are closed without one. */
const MAX_REFUSED = 100;

/** File descriptors kept for refused connections, the database, webhooks and the log. */
const RESERVED_DESCRIPTORS = 300;

/** Milliseconds that requests wait at most while connections arrive together. */
const MAX_ACCEPT_MS = 20;

/** Milliseconds by which Node may report a timeout late. */
const CHECKING_MS = 1_500;

/** The maximum number of files and connections that this process may have open. */
const DESCRIPTORS = readDescriptorLimit();

/** If there are few descriptors, connections get a quarter of them. */
const MAX_BY_DESCRIPTORS = Math.max(DESCRIPTORS - RESERVED_DESCRIPTORS, Math.floor(DESCRIPTORS / 4));

/**
 * The connections of a server. Each has one exchange at a time: a request that arrives during another one is not started, and
 * the connection closes after the response (RFC 9112, section 9.3.2). Node would start every request that has arrived.
 */
export class Connections {
  private readonly logger = new Logger(Connections.name);
  private readonly maxConnections: number;
  /** The latest exchange of each connection, until its request and its response are complete. */
  private readonly exchanges = new Map<Socket, Exchange | undefined>();
  private readonly held = new HeldMemory();
  /** Requests that wait until all pending connections are accepted; undefined if none are pending. */
  private waiting: (() => void)[] | undefined;
  private hasOpened = false;

  constructor(
    private readonly handle: (request: IncomingMessage, response: ServerResponse) => void,
    private readonly timeouts: Settings['timeouts'],
    maxConnections: number,
  ) {
    this.maxConnections = Math.min(maxConnections, MAX_BY_DESCRIPTORS);
    if (this.maxConnections < maxConnections)
      this.logger.warn(
        `At most ${this.maxConnections} connections instead of ${maxConnections}: \`ulimit -n\` is ${DESCRIPTORS}.`,
      );
  }

  /** Takes over the connections of a server. */
  watch(server: Server): void {
    // A client that has half-closed its connection may still wait for the response.
    Object.assign(server, { httpAllowHalfOpen: true });
    server.maxConnections = this.maxConnections + Math.min(MAX_REFUSED, this.maxConnections);
    // The system failed to accept a connection.
    server.on('error', (error) => server.listening && this.logger.warn(error));
    server.on('connection', (socket) => this.open(socket));
    // Without listeners for the latter two, Node would ask for the body before authentication.
    for (const event of ['request', 'checkContinue', 'checkExpectation']) {
      server.on(event, (request: IncomingMessage, response: ServerResponse) =>
        this.accept(request, response),
      );
    }
    server.on('clientError', (error, socket) => this.refuse(error, socket as Socket));
    for (const event of ['connect', 'upgrade']) {
      server.on(event, (_request: IncomingMessage, socket: Socket) => this.ignoreRest(socket));
    }
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

  /**
   * Closes a connection that is idle, or whose client does not read its response. A client that waits for a response keeps its
   * connection.
   */
  private cutIdle(socket: Socket): void {
    if (socket.writableLength > 0 || !this.isBusy(socket)) socket.destroy();
  }

  private open(socket: Socket): void {
    this.hasOpened = true;
    if (this.waiting === undefined) void this.acceptAll();
    this.exchanges.set(socket, undefined);
    socket.once('close', () => this.exchanges.delete(socket));
    if (this.exchanges.size > this.maxConnections) answerRaw(socket, TOO_MANY_CONNECTIONS);
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
    if (this.waiting === undefined) this.handle(request, response);
    else this.waiting.push(() => exchange.hasEnded || this.handle(request, response));
  }

  /**
   * Holds requests until all connections that arrive together are accepted. Node accepts one per turn of the event loop (libuv
   * 1.52): if each turn also handled its request, a client with a connection for each request would cost 2.4 times as much.
   */
  private async acceptAll(): Promise<void> {
    const waiting: (() => void)[] = [];
    this.waiting = waiting;
    const deadline = performance.now() + MAX_ACCEPT_MS;
    await turnOfTheEventLoop();
    while (this.hasOpened && performance.now() < deadline) {
      this.hasOpened = false;
      await turnOfTheEventLoop();
    }
    this.waiting = undefined;
    for (const start of waiting) start();
  }

  /** Refuses a slow, too large or malformed request, and closes its connection. */
  private refuse(error: NodeJS.ErrnoException, socket: Socket): void {
    if (socket.destroyed) return;
    const exchange = this.exchanges.get(socket);
    const refusal = refusalOf(error);
    if (exchange === undefined) {
      if (socket.writable) answerRaw(socket, refusal);
    } else if (exchange.hasEnded) {
      // The rest of a request that was already refused.
      socket.destroy();
    } else if (exchange.request.complete) {
      // The request is complete. What follows it is broken or late.
      exchange.response.shouldKeepAlive = false;
      if (refusal === REQUEST_TIMEOUT && exchange.response.writableEnded) socket.destroy();
    } else if (!exchange.response.writableEnded && !(refusal === REQUEST_TIMEOUT && exchange.isStreaming)) {
      exchange.fail(new ApiException(...refusal));
    }
  }

  /** Handles a connection that Node has detached: for a request that may not start, or a tunnel. */
  private ignoreRest(socket: Socket): void {
    socket.on('error', () => socket.destroy());
    socket.on('timeout', () => this.cutIdle(socket));
    const exchange = this.exchanges.get(socket);
    if (exchange?.hasEnded === false) {
      const { response } = exchange;
      response.shouldKeepAlive = false;
      socket.on('drain', () => response.emit('drain'));
      // A close with unread data resets the connection, and the client loses the end of the response.
      response.once('finish', () => socket.resume());
    } else if (this.isFree(socket)) {
      socket.resume();
      // The service is no proxy (RFC 9110, section 9.3.6).
      answerRaw(socket, NOT_IMPLEMENTED);
    }
  }
}

/** `ulimit -n`, for which Node.js has no function. Windows has no such limit. */
function readDescriptorLimit(): number {
  const { userLimits } = process.report.getReport() as {
    userLimits?: { open_files: { soft: number | 'unlimited' } };
  };
  const limit = userLimits?.open_files.soft;
  return typeof limit === 'number' ? limit : Infinity;
}

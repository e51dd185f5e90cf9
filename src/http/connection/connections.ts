import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { TimeoutSettings } from '../../config/settings.js';
import { ApiException } from '../../errors/api.exception.js';
import { COPIES, Exchange, FREE_BYTES } from './exchange.js';
import type { MemoryBudget } from './memory-budget.js';
import { answerRaw } from './raw-answer.js';
import {
  type ConnectionError,
  notImplemented,
  REQUEST_TIMEOUT,
  refusalOf,
  requestTimeout,
  tooManyConnections,
} from './refusals.js';
import { awaitTurn, noteConnection } from './turns.js';

/** Requests that wait on one connection at most, and what each of them holds: 8 KiB, beside what would be free. */
const MAX_WAITING = 64;
const WAITING_BYTES = FREE_BYTES + 8_192 / COPIES;

/** Connections beyond the limit that are answered at a time, which takes a moment; what is more is closed without an answer. */
const MAX_REFUSED = 100;

/** The option of a `Connection` header that makes a request to go on in another protocol (RFC 9110, section 7.8). */
const UPGRADE = /\bupgrade\b/i;

/** What tells Node's parser that nothing follows which it could parse. */
const NOTHING_FOLLOWS = 2;

/** Milliseconds between two looks at the clients that keep an exchange waiting. */
const SWEEP_INTERVAL_MS = 1_000;

/** What one connection is busy with. */
interface Connection {
  /** The latest request that has come, be it answered or not. */
  latest: IncomingMessage | undefined;
  /** The exchange that is under way. */
  current: Exchange | undefined;
  /** Those behind it, in their order. */
  readonly waiting: Exchange[];
  /** Whether it is answered that what has come is no request, after which nothing else is. */
  isRefused: boolean;
  /** What the client had taken at the latest look at which it had taken more, and when that was; -1 before the first. */
  taken: number;
  takenAt: number;
}

/**
 * The connections of a server. Each answers one request at a time and leaves what is behind it unread (RFC 9112, section
 * 9.3.2), and each is cut when its client takes nothing of an answer for too long.
 *
 * Node itself would begin with every request that has arrived, and wait for a client without end.
 */
export class Connections {
  private readonly connections = new Map<Socket, Connection>();

  /** @param handle answers a request. */
  constructor(
    private readonly handle: (request: IncomingMessage, response: ServerResponse) => void,
    private readonly timeouts: TimeoutSettings,
    private readonly budget: MemoryBudget,
    private readonly maxConnections: number,
  ) {}

  /** Takes over the connections of a server, until it closes. */
  watch(server: Server): void {
    // A client that has sent all it wants to send may still wait for the answers.
    Object.assign(server, { httpAllowHalfOpen: true });
    server.maxConnections = this.maxConnections + MAX_REFUSED;
    server.on('connection', (socket) => this.open(socket));
    // Without listeners to the latter two, Node asks for the body before it is known whether the request may send one.
    for (const event of ['request', 'checkContinue', 'checkExpectation']) {
      server.on(event, (request: IncomingMessage, response: ServerResponse) =>
        this.accept(request, response),
      );
    }
    server.on('clientError', (error, socket) => this.refuse(error, socket as Socket));
    server.on('connect', (_request, socket) => this.refuseTunnel(socket as Socket));
    const sweeping = setInterval(() => this.sweep(), Math.min(SWEEP_INTERVAL_MS, this.timeouts.request));
    sweeping.unref();
    server.once('close', () => clearInterval(sweeping));
  }

  /** Whether a client is still taking an answer that is written. */
  get isSending(): boolean {
    return this.connections.values().some(({ current }) => current?.response.writableEnded === true);
  }

  /** Closes the connections on which nothing has been sent. */
  closeSilent(): void {
    for (const socket of this.connections.keys()) {
      if (socket.bytesRead === 0) socket.destroy();
    }
  }

  /** Closes all connections, also those that Node has let go of. */
  closeAll(): void {
    for (const socket of this.connections.keys()) socket.destroy();
  }

  private open(socket: Socket): void {
    noteConnection();
    const connection: Connection = {
      latest: undefined,
      current: undefined,
      waiting: [],
      isRefused: false,
      taken: -1,
      takenAt: 0,
    };
    this.connections.set(socket, connection);
    // Node reads on for a body, also for one of a request that waits.
    socket.on('resume', () => connection.waiting.length > 0 && socket.pause());
    socket.once('close', () => {
      this.connections.delete(socket);
      for (const exchange of connection.waiting.splice(0)) exchange.end();
    });
    if (this.connections.size <= this.maxConnections) return;
    connection.isRefused = true;
    answerRaw(socket, ...tooManyConnections());
  }

  private accept(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    const connection = this.connections.get(socket);
    if (connection === undefined || connection.isRefused || socket.destroyed) return;
    const before = lastOf(connection);
    // The answer to that one ends the connection (RFC 9112, section 9.6).
    if (before?.response.shouldKeepAlive === false) return;
    // The service has no other protocol, but Node's parser takes what follows for one.
    const { connection: options, upgrade } = request.headers;
    if (upgrade !== undefined && UPGRADE.test(options ?? '')) response.shouldKeepAlive = false;
    connection.latest = request;
    const exchange = new Exchange(request, response, this.budget, this.timeouts.request);
    if (connection.current === undefined) this.begin(connection, exchange);
    else if (connection.waiting.length < MAX_WAITING && exchange.tryToHold(WAITING_BYTES)) {
      connection.waiting.push(exchange);
      socket.pause();
    } else cut(socket);
  }

  private begin(connection: Connection, exchange: Exchange): void {
    const { request, response } = exchange;
    connection.current = exchange;
    connection.taken = -1;
    response.once('close', () => {
      exchange.end();
      connection.current = connection.waiting.shift();
      if (connection.current !== undefined) this.resume(connection, connection.current);
    });
    const turn = awaitTurn();
    if (turn === undefined) this.handle(request, response);
    else void this.handleLater(exchange, turn);
  }

  private async handleLater(exchange: Exchange, turn: Promise<void>): Promise<void> {
    const start = performance.now();
    await turn;
    exchange.turnMs = performance.now() - start;
    if (!exchange.hasEnded) this.handle(exchange.request, exchange.response);
  }

  /** Begins with a request that has waited. In another turn of the event loop, because hundreds may have come at once. */
  private resume(connection: Connection, exchange: Exchange): void {
    const { socket } = exchange.request;
    setImmediate(() => {
      exchange.hold(-WAITING_BYTES);
      if (socket.destroyed) return;
      if (connection.waiting.length === 0) socket.resume();
      this.begin(connection, exchange);
    });
  }

  /** Answers what is slow, too large or malformed, and ends its connection. */
  private refuse(error: ConnectionError, socket: Socket): void {
    const connection = this.connections.get(socket);
    // The rest of what was refused already.
    if (connection?.isRefused && error.code !== 'ECONNRESET') return;
    const last = connection && lastOf(connection);
    const isAnswered = last === undefined || last.response.writableEnded;
    // The rest of a request that was refused long ago.
    const isRest = isAnswered && connection?.latest?.complete === false;
    if (!socket.writable || error.code === 'ECONNRESET' || isRest) socket.destroy();
    else if (isAnswered) {
      if (connection !== undefined) connection.isRefused = true;
      answerRaw(socket, ...refusalOf(error));
    }
    // What follows it is broken: its answer is the last one.
    else if (last.request.complete) last.response.shouldKeepAlive = false;
    else if (error.code !== REQUEST_TIMEOUT || !last.isStreaming) {
      last.fail(new ApiException(...refusalOf(error)));
    }
  }

  /** The service is no proxy (RFC 9110, section 9.3.6). */
  private refuseTunnel(socket: Socket): void {
    const connection = this.connections.get(socket);
    const last = connection && lastOf(connection);
    // Node has let go of the socket.
    socket.on('error', () => socket.destroy());
    socket.on('drain', () => connection?.current?.response.emit('drain'));
    // An answer that is written cannot say any more that it is the last one.
    if (last === undefined || last.response.writableEnded) answerRaw(socket, ...notImplemented());
    else last.response.shouldKeepAlive = false;
  }

  /** Ends what clients have kept waiting for too long. */
  private sweep(): void {
    const now = performance.now();
    for (const [socket, connection] of this.connections) {
      const { current } = connection;
      if (current === undefined) continue;
      if (now - (current.waitingSince ?? now) >= this.timeouts.request) {
        current.fail(new ApiException(...requestTimeout()));
      }
      const taken = socket.bytesWritten - socket.writableLength;
      if (socket.writableLength === 0 || taken !== connection.taken) {
        connection.taken = taken;
        connection.takenAt = now;
      } else if (now - connection.takenAt >= this.timeouts.request) socket.destroy();
    }
  }
}

/** The latest request that has come on a connection, unless all are answered. */
function lastOf({ current, waiting }: Connection): Exchange | undefined {
  return waiting.at(-1) ?? current;
}

/** Closes a connection, and leaves unparsed what has been read of it: in 64 KiB there may be thousands of requests. */
function cut(socket: Socket & { parser?: { onIncoming: () => number } | null }): void {
  if (socket.parser) socket.parser.onIncoming = () => NOTHING_FOLLOWS;
  socket.destroy();
}

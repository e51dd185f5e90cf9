import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { type Socket, Server as TcpServer } from 'node:net';
import type { TimeoutSettings } from '../../config/settings.js';
import { ApiException } from '../../errors/api.exception.js';
import { Exchange } from './exchange.js';
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

/** Connections beyond the limit that are answered at a time, which takes a moment; what is more is closed without an answer. */
const MAX_REFUSED = 100;

/** The option of a `Connection` header that makes a request to go on in another protocol (RFC 9110, section 7.8). */
const UPGRADE = /\bupgrade\b/i;

/** Milliseconds between two looks at the clients that keep an exchange waiting. */
const SWEEP_INTERVAL_MS = 1_000;

/** What one connection is busy with. */
interface Connection {
  /** The latest request that has begun, answered or not. */
  latest: IncomingMessage | undefined;
  /** The exchange that is under way. */
  current: Exchange | undefined;
  /** Whether a raw error was sent: the rest is ignored. */
  isRefused: boolean;
  /** What the client had taken at the latest look at which it had taken more, and when that was; -1 before the first. */
  taken: number;
  takenAt: number;
}

/**
 * The connections of a server. Each has one exchange at a time: a request that comes while another one is being answered is
 * not begun, and the answer is the last one of its connection (RFC 9112, section 9.3.2). Each is cut when its client takes
 * nothing of an answer for too long.
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
    // A client that has sent all it wants to send may still wait for the answer.
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
    for (const event of ['connect', 'upgrade']) {
      server.on(event, (_request: IncomingMessage, socket: Socket) => this.ignoreRest(socket));
    }
    const sweeping = setInterval(() => this.sweep(), Math.min(SWEEP_INTERVAL_MS, this.timeouts.request));
    sweeping.unref();
    server.once('close', () => clearInterval(sweeping));
  }

  /** Whether a request may begin on a connection: no other one is being answered, and its own answer could still be sent. */
  isFree(socket: Socket): boolean {
    const connection = this.connections.get(socket);
    return connection?.current === undefined && connection?.isRefused === false && socket.writable;
  }

  /**
   * Stops listening, and ends each connection after the answer that is under way. What is still open after the timeout, such as
   * a request that never ends, is cut.
   */
  async close(server: Server): Promise<void> {
    if (!server.listening) return;
    // The `close` of an HTTP server would also cut off answers that are written and that their clients have not taken yet.
    const closed = new Promise((resolve) => TcpServer.prototype.close.call(server, resolve));
    for (const [socket, { current }] of this.connections) {
      if (current === undefined) socket.destroy();
      else current.response.shouldKeepAlive = false;
    }
    const deadline = setTimeout(() => this.cutAll(), this.timeouts.shutdown);
    await closed;
    clearTimeout(deadline);
  }

  private cutAll(): void {
    for (const socket of this.connections.keys()) socket.destroy();
  }

  private open(socket: Socket): void {
    noteConnection();
    const connection: Connection = {
      latest: undefined,
      current: undefined,
      isRefused: false,
      taken: -1,
      takenAt: 0,
    };
    this.connections.set(socket, connection);
    socket.once('close', () => this.connections.delete(socket));
    if (this.connections.size <= this.maxConnections) return;
    connection.isRefused = true;
    answerRaw(socket, ...tooManyConnections());
  }

  private accept(request: IncomingMessage, response: ServerResponse): void {
    const connection = this.connections.get(request.socket);
    if (connection === undefined) return;
    // The service has no other protocol, but Node's parser takes what follows for one.
    const { connection: options, upgrade } = request.headers;
    if (upgrade !== undefined && UPGRADE.test(options ?? '')) response.shouldKeepAlive = false;
    const exchange = new Exchange(request, response, this.budget, this.timeouts.request);
    connection.latest = request;
    connection.current = exchange;
    connection.taken = -1;
    response.once('close', () => {
      exchange.end();
      connection.current = undefined;
      // Node itself does this only if the headers have announced it.
      if (!response.shouldKeepAlive) request.socket.destroySoon();
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

  /** Answers what is slow, too large or malformed, and ends its connection. */
  private refuse(error: ConnectionError, socket: Socket): void {
    const connection = this.connections.get(socket);
    const isGone = error.code === 'ECONNRESET' || !socket.writable;
    if (connection === undefined || isGone) return void socket.destroy();
    const { current, latest } = connection;
    // The rest of what was refused already.
    if (connection.isRefused) return;
    // What follows the request that is being answered is broken.
    if (current?.request.complete === true) current.response.shouldKeepAlive = false;
    else if (current?.response.writableEnded === false) {
      if (error.code !== REQUEST_TIMEOUT || !current.isStreaming) {
        current.fail(new ApiException(...refusalOf(error)));
      }
    } else if (latest?.complete === false) {
      // The rest of a request that was refused long ago.
      socket.destroy();
    } else {
      connection.isRefused = true;
      answerRaw(socket, ...refusalOf(error));
    }
  }

  /** Takes over a connection that Node has let go of: because of a request that may not begin, or of a tunnel. */
  private ignoreRest(socket: Socket): void {
    const current = this.connections.get(socket)?.current;
    socket.on('error', () => socket.destroy());
    // A close with unread data resets the connection, and the client loses what it has not taken of the answer.
    socket.resume();
    if (current !== undefined) {
      current.response.shouldKeepAlive = false;
      socket.on('drain', () => current.response.emit('drain'));
    } else if (this.isFree(socket)) {
      // The service is no proxy (RFC 9110, section 9.3.6).
      answerRaw(socket, ...notImplemented());
    }
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

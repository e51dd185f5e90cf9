import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Logger, StreamableFile } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import express, { type Response } from 'express';
import type { TimeoutSettings } from '../config/settings.js';
import { ConnectionErrors } from './connection-errors.js';
import { expressMessages } from './express-messages.js';
import { closeGracefully } from './graceful-close.js';
import { inOrder } from './in-order.js';
import { keepLiteralPaths } from './literal-paths.js';
import { parseQuery } from './parse-query.js';
import { refuseUnknownRoute } from './unknown-route.js';
import { sendJson } from './send-json.js';

/** How often Node looks for connections that exceed their timeouts; its own 30 s would let them live that much longer. */
const CONNECTIONS_CHECKING_INTERVAL_MS = 1_000;

/** Express as this service wants it: strict paths, exact JSON answers, bounded waiting, a graceful end. */
export class HttpAdapter extends ExpressAdapter {
  private readonly log = new Logger(HttpAdapter.name);
  private readonly errors = new ConnectionErrors();
  private readonly connections = new Set<Socket>();
  private closing = false;

  constructor(private readonly timeouts: TimeoutSettings) {
    super(strictExpress());
  }

  /** Whether the service has begun to stop and takes no new work. */
  get isClosing(): boolean {
    return this.closing;
  }

  override initHttpServer(): void {
    const { headers, request, keepAlive } = this.timeouts;
    const instance = this.getInstance<express.Express>();
    const server = createServer({
      ...expressMessages(instance),
      headersTimeout: headers,
      requestTimeout: request,
      keepAliveTimeout: keepAlive,
      // A request without Host is answered like any other that is wrong; Node's own answer is empty.
      requireHostHeader: false,
      connectionsCheckingInterval: Math.min(CONNECTIONS_CHECKING_INTERVAL_MS, headers, request),
    });
    server.on('connection', (socket) => {
      this.connections.add(socket);
      socket.once('close', () => this.connections.delete(socket));
    });
    server.on('clientError', (error, socket) => this.errors.answer(error, socket));
    // Without listeners to the latter two, Node asks for the body before it is known whether the request may send one.
    const handle = inOrder(instance);
    for (const event of ['request', 'checkContinue', 'checkExpectation']) {
      server.on(event, (message: IncomingMessage, response: ServerResponse) =>
        handle(message, response, this.errors.watch(message, response)),
      );
    }
    this.setHttpServer(server);
  }

  override reply(response: Response, body: unknown, statusCode?: number): unknown {
    if (body === undefined || body === null || body instanceof StreamableFile) {
      return super.reply(response, body, statusCode);
    }
    return sendJson(response, statusCode ?? response.statusCode, body);
  }

  override setNotFoundHandler(): void {
    const instance = this.getInstance<express.Express>();
    keepLiteralPaths(instance);
    instance.use(refuseUnknownRoute(instance.router));
  }

  override async close(): Promise<void> {
    this.closing = true;
    this.log.log('Stopping: no new work, answering what is in flight.');
    const isSending = () => [...this.connections].some((socket) => this.errors.isSending(socket));
    await closeGracefully(this.getHttpServer(), this.timeouts.shutdown, isSending);
  }
}

function strictExpress(): express.Express {
  const instance = express();
  // The router reads these when it is made, which the first use of the application does.
  instance.enable('strict routing');
  instance.enable('case sensitive routing');
  instance.disable('x-powered-by');
  instance.disable('etag');
  instance.set('query parser', parseQuery);
  return instance;
}

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Logger, StreamableFile } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import express, { type Response } from 'express';
import type { Settings } from '../../config/settings.js';
import { Connections } from '../connection/connections.js';
import { expressMessages } from '../connection/express-messages.js';
import { closeGracefully } from '../connection/graceful-close.js';
import { maxOpenFiles } from '../connection/open-files.js';
import { MemoryBudget } from '../connection/memory-budget.js';
import { keepLiteralPaths } from './literal-paths.js';
import { parseQuery } from './parse-query.js';
import { useOriginForm } from './require-valid-request.js';
import { refuseUnknownRoute } from './unknown-route.js';
import { sendJson } from '../body/send-json.js';

/** How often Node looks for requests that exceed their timeouts; its own 30 s would let them live that much longer. */
const CONNECTIONS_CHECKING_INTERVAL_MS = 1_000;

/** Headers that a request may have: small ones take several times their length, also while the others do not come. */
const MAX_HEADERS = 100;

/** Files that connections leave to the database, to the log, and to connections that are refused. */
const RESERVED_FILES = 200;

/** Express as this service wants it: strict paths, exact JSON answers, bounded waiting and memory, a graceful end. */
export class HttpAdapter extends ExpressAdapter {
  private readonly log = new Logger(HttpAdapter.name);
  private connections: Connections | undefined;
  private closing = false;

  constructor(
    private readonly settings: Pick<
      Settings,
      'timeouts' | 'requestMemoryLimit' | 'maxConnections' | 'trustedProxies'
    >,
  ) {
    super(strictExpress(settings));
  }

  /** Whether the service has begun to stop and takes no new work. */
  get isClosing(): boolean {
    return this.closing;
  }

  override initHttpServer(): void {
    const { timeouts, requestMemoryLimit } = this.settings;
    const instance = this.getInstance<express.Express>();
    const server = createServer({
      ...expressMessages(instance),
      headersTimeout: timeouts.headers,
      requestTimeout: timeouts.request,
      keepAliveTimeout: timeouts.keepAlive,
      // A request without Host is answered like any other that is wrong; Node's own answer is empty.
      requireHostHeader: false,
      connectionsCheckingInterval: Math.min(
        CONNECTIONS_CHECKING_INTERVAL_MS,
        timeouts.headers,
        timeouts.request,
      ),
    });
    server.maxHeadersCount = MAX_HEADERS;
    const handle = (request: IncomingMessage, response: ServerResponse) => {
      useOriginForm(request);
      instance(request, response);
    };
    const budget = new MemoryBudget(requestMemoryLimit);
    this.connections = new Connections(handle, timeouts, budget, this.maxConnections());
    this.connections.watch(server);
    this.setHttpServer(server);
  }

  /** As many connections as may be open: without a descriptor for one, the store could open no file and no connection either. */
  private maxConnections(): number {
    const { maxConnections } = this.settings;
    const most = Math.max(1, maxOpenFiles() - RESERVED_FILES);
    if (most >= maxConnections) return maxConnections;
    this.log.warn(
      `The process may have ${maxOpenFiles()} files open, which is enough for ${most} connections.`,
    );
    return most;
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
    await closeGracefully(this.getHttpServer(), this.settings.timeouts.shutdown, this.connections);
  }
}

function strictExpress({ trustedProxies }: Pick<Settings, 'trustedProxies'>): express.Express {
  const instance = express();
  // The router reads these when it is made, which the first use of the application does.
  instance.enable('strict routing');
  instance.enable('case sensitive routing');
  instance.disable('x-powered-by');
  instance.disable('etag');
  instance.set('query parser', parseQuery);
  instance.set('trust proxy', trustedProxies);
  return instance;
}

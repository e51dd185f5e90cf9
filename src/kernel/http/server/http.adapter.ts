import { createServer, IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { parse, type ParsedUrlQuery } from 'node:querystring';
import { Logger, StreamableFile } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import express, { type Express, type Response } from 'express';
import type { Settings } from '../../config/settings.js';
import { Connections } from '../connection/connections.js';
import { type Exchange, sendJson } from '../connection/exchange.js';
import { useOriginForm } from './middleware.js';
import { preferLiteralPaths, refuseUnknownRoutes } from './unknown-routes.js';

/** Interval at which Node checks requests for timeouts; its default is 30 s. */
const CONNECTIONS_CHECKING_INTERVAL_MS = 1_000;

/** The maximum number of headers: small ones take several times their length in memory. */
const MAX_HEADERS = 100;

/** Open connections; more are closed at once. */
const MAX_CONNECTIONS = 10_000;

/** A lone surrogate, which no parameter may contain. */
const UNDECODABLE = '\uD800';

/** Express with strict paths, exact JSON, bounded connections, and a close that completes what is in flight. */
export class HttpAdapter extends ExpressAdapter {
  private readonly log = new Logger(HttpAdapter.name);
  private connections: Connections | undefined;

  constructor(private readonly settings: Pick<Settings, 'timeouts' | 'trustedProxies'>) {
    super(strictExpress(settings));
  }

  override initHttpServer(): void {
    const { timeouts } = this.settings;
    const instance = this.getInstance<Express>();
    const handle = (request: IncomingMessage, response: ServerResponse) => {
      useOriginForm(request);
      instance(request, response);
    };
    const connections = new Connections(handle, timeouts);
    const server = createServer({
      ...expressMessages(instance, (socket) => socket.writable && !connections.isBusy(socket)),
      headersTimeout: timeouts.headers,
      requestTimeout: timeouts.request,
      keepAliveTimeout: timeouts.keepAlive,
      // Node's own refusal has no Error as its body.
      requireHostHeader: false,
      connectionsCheckingInterval: Math.min(
        CONNECTIONS_CHECKING_INTERVAL_MS,
        timeouts.headers,
        timeouts.request,
      ),
    });
    server.maxHeadersCount = MAX_HEADERS;
    server.maxConnections = MAX_CONNECTIONS;
    // A client that has half-closed its connection may still wait for the response.
    Object.assign(server, { httpAllowHalfOpen: true });
    connections.watch(server);
    this.connections = connections;
    this.setHttpServer(server);
  }

  override reply(response: Response, body: unknown, statusCode?: number): unknown {
    if (body === undefined || body === null || body instanceof StreamableFile) {
      return super.reply(response, body, statusCode);
    }
    return sendJson(response, statusCode ?? response.statusCode, body);
  }

  override setNotFoundHandler(): void {
    // Nest calls this after it has added every route.
    preferLiteralPaths(this.getInstance<Express>());
    refuseUnknownRoutes(this.getInstance<Express>());
  }

  override async close(): Promise<void> {
    this.log.log('Stopping: no new requests, finishing those in flight.');
    await this.connections?.close(this.getHttpServer());
  }
}

function strictExpress({ trustedProxies }: Pick<Settings, 'trustedProxies'>): Express {
  const instance = express();
  // The router reads these when the application is first used.
  instance.enable('strict routing');
  instance.enable('case sensitive routing');
  instance.disable('x-powered-by');
  instance.disable('etag');
  instance.set('query parser', parseQuery);
  instance.set('trust proxy', trustedProxies);
  return instance;
}

/**
 * Makes the classes of requests and responses, with Express's prototypes (https://expressjs.com/en/guide/overriding-express-api.html).
 * Express would otherwise change the prototype of each message, which costs 5 % of a read.
 *
 * @param isFree whether a request may start on a connection.
 */
function expressMessages(instance: Express, isFree: (socket: Socket) => boolean) {
  class ExpressRequest extends IncomingMessage {
    declare exchange?: Exchange;
    private readonly mayStart = isFree(this.socket);

    /**
     * Node reads this after the headers of each request. For `true` it emits `connect` or `upgrade` instead of `request`, and
     * stops parsing: thousands of pipelined requests in one packet cost nothing.
     */
    get upgrade(): boolean {
      return this.method === 'CONNECT' || !this.mayStart;
    }

    /** Ignores Node's value, which is true if the headers ask for another protocol: the service has none. */
    set upgrade(_: boolean) {}

    override push(chunk: Buffer | null, encoding?: BufferEncoding): boolean {
      // What nobody may have is read and dropped, so that the client gets its response.
      if (chunk !== null && this.exchange?.receive(chunk.length) === false) return true;
      return super.push(chunk, encoding);
    }
  }
  class ExpressResponse extends ServerResponse<ExpressRequest> {}
  instance.request = Object.setPrototypeOf(ExpressRequest.prototype, instance.request) as Express['request'];
  instance.response = Object.setPrototypeOf(
    ExpressResponse.prototype,
    instance.response,
  ) as Express['response'];
  return { IncomingMessage: ExpressRequest, ServerResponse: ExpressResponse };
}

/** Parses all parameters of a query. Node would replace invalid UTF-8 by U+FFFD; here it becomes a text that validation refuses. */
function parseQuery(query: string | null): ParsedUrlQuery {
  return parse(query ?? '', '&', '=', { decodeURIComponent: decode, maxKeys: 0 });
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return UNDECODABLE;
  }
}

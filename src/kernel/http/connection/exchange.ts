import type { IncomingMessage, ServerResponse } from 'node:http';
import { type ApiException, unavailable } from '../../errors/api.exception.js';
import { Json } from '../body/exact-json.js';
import { JSON_TYPE } from '../body/media-types.js';

/** Bytes of requests and responses that may be in progress at a time. */
const MAX_HELD_BYTES = 50_331_648;

/** A request or a response of no more than this is never refused, so that large ones of others do not keep it out. */
const FREE_BYTES = 16_384;

type Message = (IncomingMessage | ServerResponse) & { exchange?: Exchange };

/** The exchange to which a response belongs. @throws Error for a response of another server */
export function exchangeOf(response: ServerResponse): Exchange {
  const { exchange } = response as Message;
  if (exchange === undefined) throw new Error('Another server has made the response.');
  return exchange;
}

/** Ends a response with a JSON body. @throws ApiException 50300 when a read has too large a response for what is in progress */
export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  const json = body instanceof Json ? body.text : JSON.stringify(body);
  const length = Buffer.byteLength(json);
  const { method } = response.req;
  exchangeOf(response).hold(length, method !== 'GET' && method !== 'HEAD');
  // Node sends the headers and a text in one write, but not the headers and a buffer.
  response.writeHead(status, { 'Content-Type': JSON_TYPE, 'Content-Length': length }).end(json);
}

/** A request and its response. Whatever it holds is released when the response is sent or the connection is lost. */
export class Exchange {
  /** Why the exchange cannot go on. */
  failure: ApiException | undefined;
  /** The body is used part by part, and may take as long as its parts keep coming. */
  isStreaming = false;
  /** The response is sent, or its connection is lost. */
  hasEnded = false;
  /** The bytes that count as in progress: those of the request, and then those of the response. */
  heldBytes = 0;

  private isRestDropped = false;
  private ending: AbortController | undefined;

  constructor(
    readonly request: IncomingMessage,
    readonly response: ServerResponse,
    /** The bytes that all exchanges of the server hold together. */
    private readonly all: { heldBytes: number },
    /** Milliseconds that the client may keep the service waiting (`REQUEST_TIMEOUT_MS`). */
    readonly requestTimeout: number,
  ) {
    (request as Message).exchange = this;
    (response as Message).exchange = this;
  }

  /** Aborts when the exchange ends. */
  get signal(): AbortSignal {
    this.ending ??= new AbortController();
    if (this.hasEnded) this.ending.abort();
    return this.ending.signal;
  }

  /** Counts a part of the body. Returns false when nobody may have it. */
  receive(bytes: number): boolean {
    if (this.hasEnded || this.isRestDropped || this.failure !== undefined) return false;
    try {
      if (!this.isStreaming) this.hold(this.heldBytes + bytes);
    } catch (failure) {
      this.fail(failure as ApiException);
    }
    return this.failure === undefined;
  }

  /**
   * Counts so many bytes as held by the exchange, in place of those before.
   *
   * @param isDone the request has had its effect, so its response is not refused.
   * @throws ApiException 50300 when all exchanges together hold too many.
   */
  hold(bytes: number, isDone = false): void {
    if (this.hasEnded) return;
    const more = bytes - this.heldBytes;
    if (more > 0 && bytes > FREE_BYTES && this.all.heldBytes + more > MAX_HELD_BYTES && !isDone)
      throw unavailable('Too many large requests and responses are in progress.');
    this.all.heldBytes += more;
    this.heldBytes = bytes;
  }

  /** Responds in place of the handler, whose reader may wait for a body that does not come, and ends the reader. */
  fail(failure: ApiException): void {
    if (this.failure !== undefined || this.hasEnded) return;
    this.failure = failure;
    const { request, response } = this;
    // A stream tells its results so far; it throws the failure as soon as it reads on.
    if (this.isStreaming) response.shouldKeepAlive = false;
    else this.refuse(failure);
    if (request.listenerCount('error') > 0) request.emit('error', failure);
  }

  /** Sends an Error, and drops the rest of the body, so that the client reads it. A response that has begun breaks off. */
  refuse(exception: ApiException, status: number = exception.getStatus()): void {
    const { request, response } = this;
    const { error, message, headers } = exception;
    if (response.headersSent) return this.breakOff();
    if (!request.complete) {
      this.isRestDropped = true;
      request.resume();
    }
    response.setHeaders(new Map(Object.entries(headers)));
    sendJson(response, status, { error, message });
  }

  /** Closes the connection after the data already written. A response that has begun lacks its last chunk, so its client notices. */
  breakOff(): void {
    const { socket } = this.request;
    socket.end(() => socket.destroy());
  }

  /** Releases what the exchange holds. */
  end(): void {
    this.hold(0);
    this.hasEnded = true;
    this.ending?.abort();
  }
}

import type { IncomingMessage, ServerResponse } from 'node:http';
import { type ApiException, unavailable } from '../../errors/api.exception.js';
import { sendJson } from '../body/exact-json.js';

/** Bodies of more than `FREE_BYTES` that may be incomplete at a time: together they take 32 MiB (`MAX_BODY_BYTES`). */
const MAX_INCOMPLETE_BODIES = 256;

/** Bytes of responses and imports that may be held at a time for clients that take or send them slowly. */
const MAX_HELD_BYTES = 33_554_432;

/** Anything smaller is never refused, so that large responses of others do not keep it out. */
const FREE_BYTES = 16_384;

/** Closing a connection while data comes in resets it: the client gets this many milliseconds to read its response first. */
export const GRACE_MS = 500;

declare module 'node:http' {
  interface IncomingMessage {
    exchange?: Exchange;
  }
  interface ServerResponse {
    exchange: Exchange;
  }
}

/** Memory that all exchanges of a server hold together. */
export class HeldMemory {
  bytes = 0;
  /** Exchanges with an incomplete body, the oldest first. */
  readonly incomplete = new Set<Exchange>();
}

/** A request and its response. Whatever it holds is released when the response is sent or the connection is lost. */
export class Exchange {
  /** Why the exchange cannot go on. */
  failure: ApiException | undefined;
  /** The guards have let the request through, so its body may be read. */
  isAdmitted = false;
  /** The service reads the body, rather than something like Multer. Its own reader bounds its memory and handles failures. */
  isOwnReader = false;
  /** The body may take as long as its parts keep coming. */
  isStreaming = false;
  /** The response is sent, or its connection is lost. */
  hasEnded = false;

  private isBodyRead = false;
  private heldBytes = 0;
  private ending: AbortController | undefined;

  constructor(
    readonly request: IncomingMessage,
    readonly response: ServerResponse,
    private readonly held: HeldMemory,
    /** Milliseconds that the client may keep the service waiting (`REQUEST_TIMEOUT_MS`). */
    readonly requestTimeout: number,
  ) {
    request.exchange = this;
    response.exchange = this;
  }

  /** Aborts when the exchange ends. */
  get signal(): AbortSignal {
    if (this.ending === undefined) {
      this.ending = new AbortController();
      if (this.hasEnded) this.ending.abort();
    }
    return this.ending.signal;
  }

  /** Answers `Expect: 100-continue` when the body is first read (RFC 9110, section 10.1.1). @throws Error before authentication */
  beginBody(): void {
    if (!this.isAdmitted)
      throw new Error(
        'Middleware has read the body before authentication. An interceptor or the handler may read it.',
      );
    if (this.isBodyRead) return;
    this.isBodyRead = true;
    const { headers, httpVersion } = this.request;
    if (headers.expect?.toLowerCase() === '100-continue' && httpVersion === '1.1')
      this.response.writeContinue();
  }

  /** Counts a part of a body that is not read by the service itself. Returns false when the reader may not have it. */
  receive(bytes: number): boolean {
    // After the response, nothing would release the counted bytes.
    if (this.isOwnReader || !this.isBodyRead || this.hasEnded) return true;
    const total = this.heldBytes + bytes;
    if (total > FREE_BYTES && this.held.bytes + bytes > MAX_HELD_BYTES)
      this.fail(unavailable('Too many large bodies are under way.'));
    if (this.failure !== undefined) return false;
    this.held.bytes += bytes;
    this.heldBytes = total;
    this.countIncompleteBody(total);
    return true;
  }

  /**
   * Counts bytes until `release()` or the end of the exchange, and returns how many.
   *
   * @throws ApiException 50300 when all exchanges together hold too many.
   */
  hold(bytes: number): number {
    if (bytes <= FREE_BYTES || this.hasEnded) return 0;
    if (this.held.bytes + bytes > MAX_HELD_BYTES)
      throw unavailable('Too many large responses are under way.');
    this.held.bytes += bytes;
    this.heldBytes += bytes;
    return bytes;
  }

  /** Stops counting bytes of `hold()`. The end of the exchange releases all of them. */
  release(bytes: number): void {
    if (this.hasEnded) return;
    this.held.bytes -= bytes;
    this.heldBytes -= bytes;
  }

  /**
   * Counts an incomplete body of which so many bytes have arrived. Beyond the limit, the oldest fails: slow clients displace each
   * other, not the fast ones.
   */
  countIncompleteBody(received: number): void {
    const { incomplete } = this.held;
    if (received <= FREE_BYTES || this.request.complete || incomplete.has(this)) return;
    incomplete.add(this);
    this.request.once('end', () => incomplete.delete(this));
    const [oldest] = incomplete;
    if (oldest === undefined || incomplete.size <= MAX_INCOMPLETE_BODIES) return;
    incomplete.delete(oldest);
    if (!oldest.request.complete) oldest.fail(unavailable('Too many requests wait for their body.'));
  }

  /** Makes reading the body, or streaming the response, fail; the connection closes after the response. */
  fail(failure: ApiException): void {
    if (this.failure !== undefined) return;
    this.failure = failure;
    this.response.shouldKeepAlive = false;
    if (this.isBodyRead && !this.isOwnReader) this.cutOff(failure);
    else if (this.request.listenerCount('error') > 0) this.request.emit('error', failure);
  }

  /** Responds in place of a handler whose reader waits for the rest of the body, and then ends the reader. */
  private cutOff(failure: ApiException): void {
    const { error, message, headers } = failure;
    if (this.response.headersSent) this.breakOff();
    else {
      this.response.setHeaders(new Map(Object.entries(headers)));
      sendJson(this.response, failure.getStatus(), { error, message });
    }
    setTimeout(() => this.request.destroy(failure), GRACE_MS).unref();
  }

  /** Closes the connection after the data already written. A response that has begun lacks its last chunk, so its client notices. */
  breakOff(): void {
    const { socket } = this.request;
    socket.end(() => setTimeout(() => socket.destroy(), GRACE_MS).unref());
  }

  /** Drops the body. The connection closes after the response, unless the rest has arrived by then. */
  refuseRest(): void {
    const { request, response } = this;
    if (request.complete) return;
    request.resume();
    response.once('finish', () => {
      // Without a body, Node has reported the end of the request by now: most refusals need no timer.
      if (request.complete) return;
      setTimeout(() => request.complete || request.socket.destroy(), GRACE_MS).unref();
    });
  }

  /** Releases what the exchange holds. */
  end(): void {
    this.hasEnded = true;
    this.held.incomplete.delete(this);
    this.held.bytes -= this.heldBytes;
    this.heldBytes = 0;
    this.ending?.abort();
  }
}

import type { IncomingMessage, ServerResponse } from 'node:http';
import { type ApiException, unavailable } from '../../errors/api.exception.js';
import type { MemoryBudget } from './memory-budget.js';

/** How often a byte of a body or an answer is in memory at most: as it is sent, as text, as a value, and as what is written. */
export const COPIES = 4;

/** Bytes of a body and an answer that are not counted, so that the large ones of others never keep a small one out. */
export const FREE_BYTES = 16_384;

/** Milliseconds that a client which is still sending may take to notice that its answer has ended. */
const GRACE_MS = 500;

declare module 'node:http' {
  interface ServerResponse {
    /** The exchange that this is the answer of. */
    exchange: Exchange;
  }
}

/**
 * One request with its answer, and the owner of what they hold: the bytes that it has counted, and whatever listens to
 * `signal`, are released when the exchange ends, however it ends: answered, broken off, or gone with its connection.
 */
export class Exchange {
  /** Why the exchange cannot go on; undefined as long as it can. */
  failure: ApiException | undefined;
  /** Whether the body may take as long as it keeps coming; any other has a time by which it has to be there. */
  isStreaming = false;
  /** Milliseconds that it had to wait for a turn of the event loop in which it could begin. */
  turnMs = 0;
  /** Since when the next part of a streaming body is waited for (`performance.now()`); undefined when it is not. */
  waitingSince: number | undefined;
  /** Whether the answer is sent, or nobody is there to take it. */
  hasEnded = false;

  private bytes = 0;
  private counted = 0;
  private ending: AbortController | undefined;

  constructor(
    readonly request: IncomingMessage,
    readonly response: ServerResponse,
    private readonly budget: MemoryBudget,
    /** Milliseconds that the client may keep the service waiting (`REQUEST_TIMEOUT_MS`). */
    readonly requestTimeout: number,
  ) {
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

  /**
   * Counts bytes of a body or an answer, with their copies, until the exchange ends; a negative number gives some back.
   *
   * @throws ApiException 50300 when all exchanges together would hold too many.
   */
  hold(bytes: number): void {
    if (!this.tryToHold(bytes)) throw unavailable('Too many large requests are under way.');
  }

  /** The same, but returns whether the bytes may be held. */
  tryToHold(bytes: number): boolean {
    const toCount = COPIES * Math.max(0, this.bytes + bytes - FREE_BYTES);
    if (toCount !== this.counted && !this.hasEnded) {
      if (!this.budget.take(toCount - this.counted)) return false;
      this.counted = toCount;
    }
    this.bytes += bytes;
    return true;
  }

  /** Waits for a whole body, as one of so many at most (`MemoryBudget`), until it is there. */
  awaitBody(): void {
    this.budget.await(this);
    this.request.once('end', () => this.budget.finish(this));
  }

  /** Lets whoever reads the body fail, or streams the answer, and ends the connection with the answer. */
  fail(failure: ApiException): void {
    if (this.failure !== undefined) return;
    this.failure = failure;
    this.response.shouldKeepAlive = false;
    // Node tells the connection what is wrong with a body, and not who reads it.
    if (this.request.listenerCount('error') > 0) this.request.emit('error', failure);
  }

  /** Ends an answer that has begun in a way that its client can tell: what is written is sent, but no end of it. */
  breakOff(): void {
    const { socket } = this.request;
    socket.end(() => setTimeout(() => socket.destroy(), GRACE_MS).unref());
  }

  /**
   * Reads no more of a body that nobody wants, and ends the connection after the answer when that is still coming.
   *
   * Not at once: a connection that is closed while data comes in is reset, and the client might never see the answer.
   */
  refuseRest(): void {
    const { request, response } = this;
    if (request.complete) return;
    // Node would read to its end what nobody has begun to read.
    request.read(0);
    request.pause();
    response.once('finish', () => {
      setTimeout(() => {
        if (request.complete) request.resume();
        else request.socket.destroy();
      }, GRACE_MS).unref();
    });
  }

  /** For the connection: the answer is sent, or the client has gone. */
  end(): void {
    this.hasEnded = true;
    this.budget.finish(this);
    this.budget.take(-this.counted);
    this.counted = 0;
    this.ending?.abort();
  }
}

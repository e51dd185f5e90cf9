import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { ApiException, unavailable } from '../../errors/api.exception.js';
import { SEPARATOR } from '../range.js';
import type { ChangeFeed, Changes } from './change-feed.js';

/** The maximum number of followers. */
const MAX_FOLLOWERS = 2_000;

/** Milliseconds between two looks for changes, as long as somebody follows, and after one that has failed. */
const POLL_MS = 25;
const FAILED_MS = 1_000;

/** Milliseconds after which followers get a sign of life, which says when a client that was cut off follows again. */
const SILENCE_MS = 15_000;
const RETRY = ': \nretry: 1000\n\n';

/** Characters of the latest batches, which are kept for followers that are a little behind. */
const RECENT_LENGTH = 1_048_576;

/** Some changes, in the forms in which followers take them. Followers share what is made once. */
export class ChangeBatch {
  private encoded: Buffer | undefined;

  /** @param changes undefined for a sign of life. */
  constructor(readonly changes?: Changes) {}

  /** Server-sent events. */
  get events(): Buffer {
    return (this.encoded ??= Buffer.from(this.changes === undefined ? RETRY : eventsOf(this.changes)));
  }
}

const SIGN_OF_LIFE = new ChangeBatch();

type News = 'some' | 'none' | 'end';

/** The feeds of all resources whose changes are kept. */
@Injectable()
export class ChangeFeeds {
  readonly all: Followers[] = [];
}

/** Those who follow a feed live. One query serves all of them, whatever their number. */
export class Followers {
  private static readonly logger = new Logger(Followers.name);
  count = 0;
  /** The latest batches by the cursor behind which each begins. */
  private readonly recent = new Map<bigint, ChangeBatch>();
  private recentLength = 0;
  /** The cursor at which the next batch will begin. */
  private position = 0n;
  private starting: Promise<void> | undefined;
  private polling: Promise<void> | undefined;
  private waiting: ((news: News) => void)[] = [];
  private isStopped = false;

  constructor(readonly feed: ChangeFeed) {}

  /**
   * The changes behind a cursor, or from now on, as they come; at least one batch at once. It ends when the service stops or loses
   * the place, and its caller has to begin again.
   *
   * @throws ApiException what `ChangeFeed.read` throws, and 50300 when there are too many followers.
   */
  async *follow(after: bigint | undefined, signal: AbortSignal): AsyncGenerator<ChangeBatch, void> {
    if (this.count >= MAX_FOLLOWERS) throw unavailable('Too many clients follow changes.');
    let wake: ((news: News) => void) | undefined;
    const end = () => wake?.('end');
    signal.addEventListener('abort', end);
    this.count += 1;
    try {
      await (this.starting ??= this.start());
      let cursor = after ?? this.position;
      for (let isKnown = false; !signal.aborted;) {
        const batch = this.recent.get(cursor);
        if (batch?.changes !== undefined) {
          yield batch;
          cursor = batch.changes.last;
        } else if (!isKnown || cursor < this.position) {
          const upTo = this.position;
          for await (const changes of this.feed.read(cursor, { upTo })) yield new ChangeBatch(changes);
          if (cursor < upTo) cursor = upTo;
          if (!isKnown) yield SIGN_OF_LIFE;
          isKnown = true;
        } else {
          const { promise, resolve } = Promise.withResolvers<News>();
          wake = resolve;
          this.waiting.push(resolve);
          if (this.polling === undefined) return;
          const news = await promise;
          if (news === 'end') return;
          if (news === 'none') yield SIGN_OF_LIFE;
        }
      }
    } finally {
      signal.removeEventListener('abort', end);
      this.count -= 1;
    }
  }

  /** Ends all, which takes a moment. */
  async stop(): Promise<void> {
    this.isStopped = true;
    this.feed.stop();
    this.wakeAll('end');
    await this.polling;
  }

  private async start(): Promise<void> {
    try {
      this.position = await this.feed.latest();
      this.polling = this.poll();
    } catch (error) {
      this.starting = undefined;
      throw error;
    }
  }

  private async poll(): Promise<void> {
    let spokeAt = performance.now();
    let isFailing = false;
    let isLost = false;
    while (this.count > 0 && !this.isStopped && !isLost) {
      await sleep(isFailing ? FAILED_MS : POLL_MS);
      try {
        for await (const changes of this.feed.read(this.position)) {
          this.add(changes);
          spokeAt = performance.now();
        }
        isFailing = false;
      } catch (error) {
        // Another store has taken the place of this one.
        isLost = error instanceof ApiException;
        if (!isFailing) Followers.logger.warn(error);
        isFailing = true;
      }
      if (performance.now() - spokeAt < SILENCE_MS) continue;
      this.wakeAll('none');
      spokeAt = performance.now();
    }
    this.starting = undefined;
    this.polling = undefined;
    this.recent.clear();
    this.recentLength = 0;
    this.wakeAll('end');
  }

  private add(changes: Changes): void {
    this.recent.set(this.position, new ChangeBatch(changes));
    this.position = changes.last;
    this.recentLength += changes.text.length;
    for (const [cursor, { changes: oldest }] of this.recent) {
      if (this.recentLength <= RECENT_LENGTH || this.recent.size === 1) break;
      this.recent.delete(cursor);
      this.recentLength -= oldest?.text.length ?? 0;
    }
    this.wakeAll('some');
  }

  private wakeAll(news: News): void {
    for (const wake of this.waiting.splice(0)) wake(news);
  }
}

function eventsOf({ text }: Changes): string {
  return text
    .split(SEPARATOR)
    .map((json) => `id: ${/\d+/.exec(json)?.[0]}\ndata: ${json}\n\n`)
    .join('');
}

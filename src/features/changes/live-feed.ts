import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import type { ObjectLiteral } from 'typeorm';
import { ApiException, unavailable } from '../../kernel/errors/api.exception.js';
import { Gauge, type Reading } from '../../kernel/logging/gauge.decorator.js';
import type { Resource } from '../../kernel/resource/resource.js';
import type { Table } from '../../kernel/store/table.js';
import { catchUp } from './catch-up.js';
import { CHANGE_NOT_KEPT, type ChangeFeed, changeNotKept, Changes } from './change-feed.js';

/** The maximum number of followers. */
const MAX_FOLLOWERS = 2_000;

/** Milliseconds between two polls while there are followers, for each follower to get the news, and after a failed poll. */
const POLL_MS = 25;
const FOLLOWER_MS = 0.05;
const FAILED_MS = 1_000;

/** Milliseconds after which followers wake without news, to notice that their client has gone. */
const WAKE_MS = 250;

/** Milliseconds after which idle followers get a keep-alive. */
const SILENCE_MS = 15_000;

/** The maximum number of reads that are kept for slower followers: some 100 KiB each at most. */
const MAX_RECENT = 32;

/** The feeds of all resources whose changes are kept, by the names of their tables. */
@Injectable()
export class ChangeFeeds extends Map<string, LiveFeed> {
  /** The resources that have changes, whether or not the service keeps them. */
  readonly resources: Resource<ObjectLiteral>[] = [];
  /** Why commits have no common order, and so no changes are kept. */
  disorder: string | undefined;

  /** What a client is told when no changes are kept. */
  get absence(): string {
    return `The service keeps no changes${this.disorder === undefined ? '' : `: ${this.disorder}`}.`;
  }

  /** @throws ApiException 41000 when no changes of a table are kept. */
  of({ name }: Table<ObjectLiteral>): LiveFeed {
    const feed = this.get(name.replaceAll('"', ''));
    if (feed === undefined) throw changeNotKept(this.absence);
    return feed;
  }

  @Gauge({ name: 'plant_store_changes_followers', help: 'Clients that follow changes.' })
  countFollowers(): Reading {
    if (this.size === 0) return undefined;
    return [...this.values()].reduce((total, { count }) => total + count, 0);
  }

  @Gauge({
    name: 'plant_store_changes_held_back_seconds',
    help: 'Time for which an open transaction of PostgreSQL has been holding changes back.',
  })
  async heldBack(): Promise<Reading> {
    const times = await Promise.all(Array.from(this.values(), ({ feed }) => feed.secondsHeldBack()));
    const seconds = times.flatMap((time) => time ?? []);
    return seconds.length === 0 ? undefined : Math.max(...seconds);
  }
}

/** Followers of a feed. One query serves all of them, whatever their number. */
export class LiveFeed {
  private static readonly logger = new Logger(LiveFeed.name);
  count = 0;
  /** The latest reads, by the cursor after which each begins. */
  private readonly recent = new Map<bigint, Changes>();
  /** The cursor at which the next read will begin. */
  private position = 0n;
  private starting: Promise<void> | undefined;
  /** Resolves when polling ends. Each start makes a new promise. */
  private polling: Promise<void> | undefined;
  /** Resolves when changes arrive, or after `WAKE_MS` without any. */
  private polled = Promise.withResolvers<void>();
  private isStopped = false;

  constructor(readonly feed: ChangeFeed) {}

  /**
   * Yields the changes after a cursor, or from now on, as they come, and keep-alives: the first when the follower has caught up.
   * Ends when the service stops or polling fails for good; the caller may then begin again.
   *
   * @throws ApiException what `ChangeFeed.read` throws, and 50300 when there are too many followers.
   */
  async *follow(after: bigint | undefined, signal: AbortSignal): AsyncGenerator<Changes, void> {
    if (this.count >= MAX_FOLLOWERS) throw unavailable('Too many clients follow changes.');
    this.count += 1;
    try {
      await (this.starting ??= this.start());
      const { polling } = this;
      let cursor = after ?? this.position;
      let isKnown = false;
      let spokeAt = -Infinity;
      while (!signal.aborted && !this.isStopped && this.polling === polling) {
        const upTo = this.position;
        const recent = this.recent.get(cursor);
        if (recent !== undefined) {
          yield recent;
          cursor = recent.last;
        } else if (!isKnown || cursor < upTo) {
          yield* catchUp((from) => this.feed.read(from, { upTo }), cursor);
          if (cursor < upTo) cursor = upTo;
          isKnown = true;
        } else if (performance.now() - spokeAt >= SILENCE_MS) {
          yield Changes.keepAlive(cursor);
          spokeAt = performance.now();
        } else await this.polled.promise;
      }
    } finally {
      this.count -= 1;
    }
  }

  /** Ends all followers, within one poll. */
  async stop(): Promise<void> {
    this.isStopped = true;
    this.feed.stop();
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
    let wokeAt = performance.now();
    for (let hasFailed = false; this.count > 0 && !this.isStopped;) {
      await sleep(hasFailed ? FAILED_MS : POLL_MS + this.count * FOLLOWER_MS);
      const before = this.position;
      try {
        for await (const changes of this.feed.read(this.position)) this.add(changes);
        hasFailed = false;
      } catch (error) {
        if (!hasFailed) LiveFeed.logger.warn(error);
        // Another store has taken the place of this one.
        if (error instanceof ApiException && error.error === CHANGE_NOT_KEPT) break;
        hasFailed = true;
      }
      if (this.position === before && performance.now() - wokeAt < WAKE_MS) continue;
      wokeAt = performance.now();
      this.wakeAll();
    }
    this.starting = undefined;
    this.polling = undefined;
    this.recent.clear();
    this.wakeAll();
  }

  private add(changes: Changes): void {
    this.recent.set(this.position, changes);
    this.position = changes.last;
    const [oldest = 0n] = this.recent.keys();
    if (this.recent.size > MAX_RECENT) this.recent.delete(oldest);
  }

  private wakeAll(): void {
    this.polled.resolve();
    this.polled = Promise.withResolvers();
  }
}

import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import type { Repository } from 'typeorm';
import type { WebhookSettings } from '../config/settings.js';
import { ApiException } from '../errors/api.exception.js';
import { ErrorValue } from '../errors/error-value.js';
import { inTime } from '../limits/patience.js';
import type { Changes } from '../store/changes/change-feed.js';
import type { ChangeFeeds } from '../store/changes/followers.js';
import { SEPARATOR } from '../store/range.js';
import { type Failure, Receivers } from './receivers.js';
import { FRESH, type Webhook } from './webhook.entity.js';

/** The maximum number of changes in a request, and of their characters unless it is one change. */
const MAX_CHANGES = 100;
const MAX_LENGTH = 262_144;

/** Milliseconds of failures after which a webhook is paused. */
const PATIENCE_MS = 3 * 86_400_000;

const CHANGE = /^\{"cursor":(?<cursor>\d+),"at":"[^"]*","kind":"(?<kind>\w+)"/;

/** The webhook was deleted, paused or moved, or another instance has its lease. */
const LOST = new Error('Another one delivers, or nobody.');

/** The changes of one request, each as JSON. */
interface Part {
  readonly changes: string[];
  length: number;
  /** Where the webhook is when the receiver has taken them. */
  upTo: bigint;
}

/**
 * Sends changes to the receivers of webhooks. Of all instances, the one that holds the lease of a webhook does, one request after
 * the other: the next one begins when the receiver has taken the one before.
 */
export class Delivery implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger(Delivery.name);
  /** On SQLite there is one instance: what it held before a crash is still its own. */
  private readonly holder: string;
  /** The webhooks that this instance delivers. */
  private readonly runs = new Map<
    string,
    { readonly stop: AbortController; readonly ended: Promise<void> }
  >();
  private readonly end = new AbortController();
  private woken = Promise.withResolvers<void>();
  private looking: Promise<void> | undefined;
  readonly receivers: Receivers;

  constructor(
    private readonly settings: WebhookSettings,
    private readonly feeds: ChangeFeeds,
    private readonly webhooks: Repository<Webhook>,
  ) {
    this.receivers = new Receivers(settings);
    this.holder = webhooks.manager.dataSource.options.type === 'postgres' ? randomUUID() : 'the service';
  }

  onApplicationBootstrap(): void {
    if (this.feeds.all.length > 0) this.looking = this.lookAgainAndAgain();
  }

  /** Gives all leases back, unless the database is away. */
  async onModuleDestroy(): Promise<void> {
    this.end.abort();
    this.look();
    await inTime(this.giveBack()).catch((error: unknown) => this.logger.warn(error));
  }

  private async giveBack(): Promise<void> {
    await this.looking;
    const runs = [...this.runs.values()];
    for (const { stop } of runs) stop.abort();
    await Promise.all(runs.map(({ ended }) => ended));
    this.receivers.stop();
    if (runs.length > 0)
      await this.webhooks.update({ leaseHolder: this.holder }, { leaseUntil: FRESH.leaseUntil });
  }

  /** Looks at once for webhooks to deliver, and for those not to deliver any more. */
  look(): void {
    this.woken.resolve();
  }

  private async lookAgainAndAgain(): Promise<void> {
    while (!this.end.signal.aborted) {
      this.woken = Promise.withResolvers();
      await this.takeAndRenew().catch((error: unknown) => this.logger.warn(error));
      await Promise.race([this.woken.promise, sleep(this.settings.look, undefined, { ref: false })]);
    }
  }

  private async takeAndRenew(): Promise<void> {
    const active = await this.webhooks.findBy({ state: 'active' });
    const now = new Date();
    const mine = { leaseHolder: this.holder, leaseUntil: new Date(now.getTime() + this.settings.lease) };
    const held = new Set(active.filter(({ leaseHolder }) => leaseHolder === this.holder).map(({ id }) => id));
    for (const [id, { stop, ended }] of this.runs) {
      if (held.has(id)) continue;
      stop.abort();
      await ended;
    }
    if (held.size > 0) await this.webhooks.update({ leaseHolder: this.holder, state: 'active' }, mine);
    for (const { id, leaseHolder, leaseUntil } of active) {
      if (this.runs.has(id) || (leaseUntil > now && !held.has(id))) continue;
      // Of instances that look at the same time, one finds the lease as it was.
      const seen = held.has(id) ? mine : { leaseHolder, leaseUntil };
      const { affected } = await this.webhooks.update({ id, state: 'active', ...seen }, mine);
      const stop = new AbortController();
      if (affected === 1) this.runs.set(id, { stop, ended: this.run(id, stop.signal) });
    }
  }

  /** Delivers a webhook until it is stopped or something fails; then the next look begins again. */
  private async run(id: string, signal: AbortSignal): Promise<void> {
    try {
      await this.follow(id, signal);
    } catch (error) {
      if (signal.aborted || error === LOST) return;
      if (!(error instanceof ApiException) || error.error !== ErrorValue.ChangeNotKept)
        this.logger.warn(error);
      else await this.pause(id, error.message).catch((failure: unknown) => this.logger.warn(failure));
    } finally {
      this.runs.delete(id);
    }
  }

  private async follow(id: string, signal: AbortSignal): Promise<void> {
    const { resource, kinds, cursor: start } = await this.webhooks.findOneByOrFail({ id });
    const followers = this.feeds.all.find(({ feed }) => feed.resource === resource);
    if (followers === undefined) throw new Error(`There is no feed of ${resource} for the webhook ${id}.`);
    let cursor = start;
    while (!signal.aborted) {
      let stored = cursor;
      for await (const changes of followers.feed.read(cursor)) {
        for (const part of partsOf(changes, kinds)) {
          await this.deliver(id, resource, part, signal);
          stored = part.upTo;
        }
        cursor = changes.last;
      }
      // The last ones may all be of other kinds.
      if (cursor !== stored) await this.update(id, { cursor });
      // What has come meanwhile is read at once, not in the small batches of followers.
      for await (const { changes } of followers.follow(cursor, signal)) if (changes !== undefined) break;
    }
  }

  /** Sends a request until the receiver takes it. It stays the same, so that the receiver knows it again. */
  private async deliver(id: string, resource: string, part: Part, signal: AbortSignal): Promise<void> {
    const { changes, upTo } = part;
    const [first, last] = [changes[0], changes.at(-1)].map(
      (json = '') => CHANGE.exec(json)?.groups?.['cursor'],
    );
    const messageId = `${id}_${first}_${last}`;
    const body = `{"type":"${resource}.changed","timestamp":"${new Date().toISOString()}","data":[${changes.join()}]}`;
    for (let isTaken = false; !isTaken;) {
      const webhook = await this.webhooks.findOneBy({ id, leaseHolder: this.holder, state: 'active' });
      if (webhook === null) throw LOST;
      const wait = (webhook.nextAttemptAt?.getTime() ?? 0) - Date.now();
      if (wait > 0) {
        await sleep(wait, undefined, { signal });
        continue;
      }
      const failure = await this.receivers.post(webhook, messageId, body, signal);
      isTaken = failure === undefined;
      await (failure === undefined ? this.noteSuccess(webhook, upTo) : this.noteFailure(webhook, failure));
    }
  }

  private async noteSuccess({ id, url, attempts }: Webhook, cursor: bigint): Promise<void> {
    const { nextAttemptAt, failingSince } = FRESH;
    await this.update(id, { cursor, attempts: 0, nextAttemptAt, failingSince, lastSuccessAt: new Date() });
    if (attempts > 0) this.logger.log(`The webhook ${id} to ${hostOf(url)} works again.`);
  }

  private async noteFailure(webhook: Webhook, { reason, isGone }: Failure): Promise<void> {
    const { id, url, attempts } = webhook;
    const now = new Date();
    const { least, most } = this.settings.retry;
    // Webhooks that have failed together do not come back together.
    const delay = Math.min(most, least * 2 ** attempts) * (0.5 + Math.random() / 2);
    await this.update(id, {
      attempts: attempts + 1,
      nextAttemptAt: new Date(now.getTime() + delay),
      ...(webhook.failingSince === null && { failingSince: now }),
      lastFailureAt: now,
      lastFailure: reason,
    });
    const isOver = now.getTime() - (webhook.failingSince ?? now).getTime() >= PATIENCE_MS;
    if (attempts === 0) this.logger.warn(`The webhook ${id} to ${hostOf(url)} fails: ${reason}`);
    if (isGone || isOver) await this.pause(id, isOver ? `It has failed for 3 days. ${reason}` : reason);
  }

  private async pause(id: string, lastFailure: string): Promise<void> {
    await this.update(id, { state: 'paused', lastFailure, lastFailureAt: new Date() });
    this.logger.warn(`The webhook ${id} is paused: ${lastFailure}`);
  }

  /** Changes a webhook as long as this instance holds its lease. */
  private async update(id: string, changes: Partial<Webhook>): Promise<void> {
    await this.webhooks.update({ id, leaseHolder: this.holder }, changes);
  }
}

/** Cuts changes into requests, without those of other kinds. */
function partsOf({ text, last }: Changes, kinds: readonly string[]): Part[] {
  const parts: Part[] = [];
  for (const json of text.split(SEPARATOR)) {
    const { kind = '', cursor = '' } = CHANGE.exec(json)?.groups ?? {};
    if (!kinds.includes(kind)) continue;
    let part = parts.at(-1);
    if (!part || part.changes.length === MAX_CHANGES || part.length + json.length > MAX_LENGTH)
      parts.push((part = { changes: [], length: 0, upTo: last }));
    part.changes.push(json);
    part.length += json.length;
    part.upTo = BigInt(cursor);
  }
  const final = parts.at(-1);
  if (final !== undefined) final.upTo = last;
  return parts;
}

/** Paths and queries may hold secrets. */
function hostOf(url: string): string {
  return new URL(url).host;
}

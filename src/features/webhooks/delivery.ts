import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type FindOptionsWhere, In, LessThan, type Repository } from 'typeorm';
import { AccessTokensService } from '../../kernel/auth/access-tokens.service.js';
import { ApiException } from '../../kernel/errors/api.exception.js';
import { withTimeout } from '../../kernel/database/timeout.js';
import { CHANGE_NOT_KEPT, type Changes } from '../changes/change-feed.js';
import { ChangeFeeds } from '../changes/live-feed.js';
import { Receivers } from './receivers.js';
import { FRESH, Webhook, WebhookDelivery } from './webhook.entity.js';
import { WebhookSettings } from './webhooks.settings.js';

/** The maximum number of changes in a request, and of their characters unless it is one change. */
export const MAX_CHANGES = 100;
const MAX_LENGTH = 262_144;

/** How many deliveries of a webhook are kept. */
export const MAX_DELIVERIES = 100;

/** The status for a body that is too large. */
const TOO_LARGE = 413;

/** The `type` of a request that tests a receiver. */
export const TEST = 'webhook.test';

/** Milliseconds of pause after a small request: the changes of that time share a request and a write of the webhook's cursor. */
const PAUSE_MS = 250;

/** A webhook that has failed for this many milliseconds is paused. */
const PAUSED_AFTER_MS = 3 * 86_400_000;

const CHANGE = /^\{"cursor":(?<cursor>\d+),"at":"(?<at>[^"]*)","kind":"(?<kind>\w+)"/;

/** A delivery before it is stored. */
export type NewDelivery = Omit<WebhookDelivery, 'webhook' | 'slot'>;

/** The changes of one request, each as JSON. Without changes, it only moves the cursor past kinds that the webhook does not want. */
interface Part {
  readonly changes: string[];
  length: number;
  /** Time of the last change. */
  at: string;
  /** The cursor of the webhook before this request, and after its receiver has accepted it. */
  readonly after: bigint;
  upTo: bigint;
}

/**
 * Sends changes to the receivers of webhooks, one request at a time for each. The instance that holds the lease of a webhook
 * delivers it.
 *
 * The row of a webhook holds its cursor. Each attempt reads it first, and stores its result only if the row still has that
 * cursor and lease. So a request in flight changes nothing in a webhook that was deleted, resumed or taken over meanwhile.
 */
@Injectable()
export class Delivery implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger(Delivery.name);
  /** A constant on SQLite, where there is one instance: after a crash it still owns its leases. */
  private readonly holder: string;
  /** The running deliveries, by the ids of their webhooks. */
  private readonly runs = new Map<string, Promise<void>>();
  /** Aborted at every poll; wakes sleeping deliveries. */
  private round = new AbortController();
  private readonly end = new AbortController();
  private polling: Promise<void> | undefined;

  constructor(
    private readonly settings: WebhookSettings,
    private readonly feeds: ChangeFeeds,
    @InjectRepository(Webhook) private readonly webhooks: Repository<Webhook>,
    private readonly tokens: AccessTokensService,
    private readonly receivers: Receivers,
  ) {
    this.holder = webhooks.manager.dataSource.options.type === 'postgres' ? randomUUID() : 'the service';
  }

  onApplicationBootstrap(): void {
    if (this.settings.WEBHOOK_KEY !== undefined && this.feeds.size > 0) this.polling = this.pollUntilEnd();
  }

  /** Gives all leases back, unless the database is away. */
  async onModuleDestroy(): Promise<void> {
    this.end.abort();
    this.poll();
    await withTimeout(this.giveBack()).catch((error: unknown) => this.logger.warn(error));
  }

  private async giveBack(): Promise<void> {
    await this.polling;
    const runs = [...this.runs.values()];
    await Promise.all(runs);
    if (runs.length > 0)
      await this.webhooks.update({ leaseHolder: this.holder }, { leaseUntil: FRESH.leaseUntil });
  }

  /** Polls at once for webhooks to deliver, and wakes the running deliveries. */
  poll(): void {
    this.round.abort();
  }

  /** Sends a request without changes to a receiver. The state of its webhook stays the same. */
  async test(webhook: Webhook): Promise<NewDelivery> {
    const timestamp = new Date().toISOString();
    const id = `${webhook.id}_test_${Date.parse(timestamp)}`;
    const body = JSON.stringify({ type: TEST, timestamp, data: [] });
    const attempt = await this.receivers.post(webhook, id, body);
    const delivery = { ...attempt, id, changes: 0, after: null, cursor: null };
    await this.note({ id: webhook.id }, {}, delivery);
    return delivery;
  }

  /** The latest deliveries of a webhook, newest first by slot, because clocks may be wrong. */
  async latestOf({ id, slot: latest }: Webhook): Promise<NewDelivery[]> {
    const rows = await this.webhooks.manager.findBy(WebhookDelivery, { webhook: id });
    const ageOf = ({ slot }: WebhookDelivery) => (latest - slot + MAX_DELIVERIES) % MAX_DELIVERIES;
    return rows
      .toSorted((one, other) => ageOf(one) - ageOf(other))
      .map(({ webhook: _, slot: __, ...delivery }) => delivery);
  }

  private async pollUntilEnd(): Promise<void> {
    while (!this.end.signal.aborted) {
      this.round = new AbortController();
      await this.takeAndRenew().catch((error: unknown) => this.logger.warn(error));
      await this.sleep(this.settings.pollInterval);
      this.poll();
    }
  }

  /** Takes expired leases and renews its own. If several instances poll at once, the database lets one take each lease. */
  private async takeAndRenew(): Promise<void> {
    const now = Date.now();
    const active = { state: 'active', resource: In([...this.feeds.keys()]) } as const;
    const mine = { ...active, leaseHolder: this.holder };
    const leaseUntil = new Date(now + this.settings.lease);
    const ended = { ...active, leaseUntil: LessThan(new Date(now)) };
    await this.webhooks.update([mine, ended], { leaseHolder: this.holder, leaseUntil });
    for (const { id } of await this.webhooks.findBy(mine))
      if (!this.runs.has(id)) this.runs.set(id, this.run(id));
  }

  /** Delivers a webhook while this instance holds its lease. A failure of the service ends this until the next poll. */
  private async run(id: string): Promise<void> {
    const { signal } = this.end;
    let changes: Changes | undefined;
    let parts: readonly Part[] = [];
    let most = MAX_CHANGES;
    try {
      while (!signal.aborted) {
        const webhook = await this.webhooks.findOneBy({ id, state: 'active', leaseHolder: this.holder });
        if (webhook === null) break;
        const { createdBy } = webhook;
        if (createdBy !== null && !(await this.tokens.isValid(createdBy))) {
          await this.pause(
            webhook,
            `The access token ${createdBy}, which made or resumed it last, is not valid any more.`,
          );
          break;
        }
        const wait = (webhook.nextAttemptAt?.getTime() ?? 0) - Date.now();
        // A retry sends the same changes under the same id, so that the receiver can recognise it.
        const part = parts.find(({ after }) => after === webhook.cursor);
        // A longer wait means that a clock was wrong.
        if (wait > 0 && wait <= this.settings.retry.most) await this.sleep(wait);
        else if (part === undefined) {
          if (changes !== undefined && changes.all.length <= MAX_CHANGES) await this.sleep(PAUSE_MS);
          changes = await this.read(webhook);
          parts = changes === undefined ? [] : partsOf(webhook, changes, most);
        } else if (part.changes.length === 0) await this.update(webhook, { cursor: part.upTo });
        else if ((await this.deliver(webhook, part)) === TOO_LARGE && part.changes.length > 1) {
          most = Math.ceil(part.changes.length / 2);
          parts = [];
        }
      }
    } catch (error) {
      if (!signal.aborted) this.logger.warn(error);
    } finally {
      this.runs.delete(id);
    }
  }

  /** Reads the next changes, or waits for some until the next poll. */
  private async read(webhook: Webhook): Promise<Changes | undefined> {
    const { resource, cursor } = webhook;
    const followers = this.feeds.get(resource);
    if (followers === undefined) return undefined;
    try {
      // Reads the feed directly: its batches are larger than live ones.
      for await (const changes of followers.feed.read(cursor)) return changes;
      for await (const changes of followers.follow(cursor, this.round.signal))
        if (changes.all.length > 0) return changes;
    } catch (error) {
      if (!(error instanceof ApiException) || error.error !== CHANGE_NOT_KEPT) throw error;
      await this.pause(webhook, error.message);
    }
    return undefined;
  }

  /** Sends a request, stores its result, and returns the status of the response. */
  private async deliver(webhook: Webhook, { changes, at, after, upTo }: Part): Promise<number | null> {
    const { id, resource, url, failingSince } = webhook;
    const messageId = `${id}_${after}_${upTo}`;
    const body = `{"type":"${resource}.changed","timestamp":"${at}","data":[${changes.join()}]}`;
    const attempt = await this.receivers.post(webhook, messageId, body, this.end.signal);
    const delivery = { ...attempt, id: messageId, changes: changes.length, after, cursor: upTo };
    if (attempt.status === TOO_LARGE) {
      const what =
        changes.length === 1
          ? 'a single change: raise its limit, or resume the webhook after this change'
          : `${changes.length} changes: half as many follow`;
      delivery.failure = `The receiver returned ${TOO_LARGE} for ${what}.`;
    }
    if (attempt.status === TOO_LARGE && changes.length > 1) await this.note(this.held(webhook), {}, delivery);
    else if (delivery.failure !== null) await this.noteFailure(webhook, delivery.failure, delivery);
    else {
      const success = { cursor: upTo, nextAttemptAt: null, failingSince: null, lastSuccessAt: new Date() };
      await this.note(this.held(webhook), success, delivery);
      if (failingSince !== null) this.logger.log(`The webhook ${id} to ${hostOf(url)} works again.`);
    }
    return attempt.status;
  }

  private async noteFailure(webhook: Webhook, reason: string, delivery: NewDelivery): Promise<void> {
    const { id, url } = webhook;
    const now = new Date();
    const failingSince = webhook.failingSince ?? now;
    const failingFor = now.getTime() - failingSince.getTime();
    const { least, most } = this.settings.retry;
    // Jitter: webhooks that failed at the same time retry at different times.
    const delay = Math.min(most, Math.max(least, failingFor) * (1 + Math.random() / 2));
    const nextAttemptAt = new Date(now.getTime() + delay);
    const failure = { nextAttemptAt, failingSince, lastFailureAt: now, lastFailure: reason };
    await this.note(this.held(webhook), failure, delivery);
    if (webhook.failingSince === null)
      this.logger.warn(`The webhook ${id} to ${hostOf(url)} fails: ${reason}`);
    if (failingFor >= PAUSED_AFTER_MS) await this.pause(webhook, `It has failed for 3 days. ${reason}`);
    else if (delivery.status === 410) await this.pause(webhook, reason);
  }

  /**
   * Stores a delivery and its result in one transaction. Stores neither if the webhook is no longer as in `where`.
   *
   * The delivery takes the slot of the oldest one, so the table does not grow.
   */
  private async note(
    where: FindOptionsWhere<Webhook> & Pick<Webhook, 'id'>,
    result: Partial<Webhook>,
    delivery: NewDelivery,
  ): Promise<void> {
    await this.webhooks.manager.transaction(async (manager) => {
      const slot = () => `(slot + 1) % ${MAX_DELIVERIES}`;
      const { affected } = await manager.update(Webhook, where, { ...result, slot });
      if (affected === 0) return;
      const webhook = await manager.findOneByOrFail(Webhook, { id: where.id });
      const row = { ...delivery, webhook: webhook.id, slot: webhook.slot };
      await manager.upsert(WebhookDelivery, row, ['webhook', 'slot']);
    });
  }

  private async pause(webhook: Webhook, lastFailure: string): Promise<void> {
    await this.update(webhook, { state: 'paused', lastFailure, lastFailureAt: new Date() });
    this.logger.warn(`The webhook ${webhook.id} is paused: ${lastFailure}`);
  }

  /** Updates a webhook if this instance still holds its lease. */
  private async update(webhook: Webhook, changes: Partial<Webhook>): Promise<void> {
    await this.webhooks.update(this.held(webhook), changes);
  }

  /** Matches a webhook if this instance still holds its lease, and nobody has moved its cursor. */
  private held({ id, cursor }: Webhook) {
    return { id, cursor, leaseHolder: this.holder };
  }

  /** Sleeps, at most until the next poll. */
  private async sleep(delay: number): Promise<void> {
    const { signal } = this.round;
    await sleep(delay, undefined, { signal, ref: false }).catch(() => undefined);
  }
}

/** Splits changes into requests, and leaves out kinds that the webhook does not want. */
function partsOf({ cursor: start, kinds }: Webhook, { all }: Changes, most: number): Part[] {
  let part: Part = { changes: [], length: 0, at: '', after: start, upTo: start };
  const parts = [part];
  for (const { json } of all) {
    const { cursor = '', at = '', kind = '' } = CHANGE.exec(json)?.groups ?? {};
    if (kinds.some((wanted) => wanted === kind)) {
      if (part.changes.length === most || (part.length > 0 && part.length + json.length > MAX_LENGTH))
        parts.push((part = { changes: [], length: 0, at, after: part.upTo, upTo: part.upTo }));
      part.changes.push(json);
      part.length += json.length;
      part.at = at;
    }
    part.upTo = BigInt(cursor);
  }
  return parts;
}

/** The host only: paths and queries may hold secrets. */
function hostOf(url: string): string {
  return new URL(url).host;
}

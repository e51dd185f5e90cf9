import { randomBytes } from 'node:crypto';
import { Inject, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { SCOPES } from '../../kernel/auth/auth.module.js';
import { insufficientScope } from '../../kernel/auth/challenge.js';
import { ADMIN, type Principal, type Scope } from '../../kernel/auth/principal.js';
import { ApiException } from '../../kernel/errors/api.exception.js';
import { ErrorValue, ownErrorValue } from '../../kernel/errors/error-value.js';
import { Gauge, type Reading } from '../../kernel/logging/gauge.decorator.js';
import { withoutNulls } from '../../kernel/resource/resource.js';
import { unknownResource } from '../../kernel/resource/resource-errors.js';
import { type ChangeFeed, changeNotKept } from '../changes/change-feed.js';
import { ChangeFeeds } from '../changes/live-feed.js';
import { Delivery } from './delivery.js';
import type {
  IssuedWebhookDto,
  NewWebhookDto,
  ResumeDto,
  WebhookAddressDto,
  WebhookDeliveryDto,
  WebhookDto,
  WebhookSecretDto,
} from './dto/webhook.dto.js';
import { Receivers } from './receivers.js';
import { FRESH, Webhook } from './webhook.entity.js';
import { WebhookSettings } from './webhooks.settings.js';

/** The maximum number of webhooks. */
const MAX_WEBHOOKS = 100;

/** The count of undelivered changes stops here. */
const MAX_BEHIND = 10_000;

const WEBHOOK_REFUSED = ownErrorValue(40904);

/** @param message by default what the contract says. */
export function webhookRefused(
  message = 'The service has no `WEBHOOK_KEY`, or 100 webhooks already.',
): ApiException {
  return new ApiException(WEBHOOK_REFUSED, message);
}

/** The rules of webhooks. Every operation requires the scope to read the resource, too, because a receiver gets its content. */
@Injectable()
export class WebhooksService implements OnApplicationBootstrap {
  private readonly logger = new Logger(WebhooksService.name);
  /** Ends when the latest webhook is stored. The next one waits for it, without a connection to the database. */
  private added: Promise<void> = Promise.resolve();

  constructor(
    @InjectRepository(Webhook) private readonly webhooks: Repository<Webhook>,
    private readonly feeds: ChangeFeeds,
    @Inject(SCOPES) private readonly scopes: readonly Scope[],
    private readonly settings: WebhookSettings,
    private readonly receivers: Receivers,
    private readonly delivery: Delivery,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    const { whyOff } = this;
    if (whyOff === undefined) return;
    const count = await this.webhooks.countBy({ state: 'active' });
    if (count > 0) this.logger.warn(`Webhooks that get no changes: ${count}. ${whyOff}`);
  }

  @Gauge({
    name: 'plant_store_webhooks',
    help: 'Webhooks by state; an active one is failing if its last request has failed, and off if the service cannot deliver.',
    label: 'state',
  })
  async countByState(): Promise<Reading> {
    const counts = { active: 0, failing: 0, off: 0, paused: 0 };
    for (const webhook of await this.webhooks.find()) {
      const state = this.stateOf(webhook);
      counts[state === 'active' && webhook.failingSince !== null ? 'failing' : state] += 1;
    }
    return counts;
  }

  @Gauge({
    name: 'plant_store_webhook_lag_seconds',
    help: 'Age of the oldest change that a webhook has not delivered, unless it is paused; 0 if there is none.',
  })
  async lag(): Promise<Reading> {
    let seconds = 0;
    for (const [resource, { feed }] of this.feeds) {
      const where = { resource, state: 'active' } as const;
      const last = await this.webhooks.findOne({ where, order: { cursor: 'ASC' } });
      if (last !== null) seconds = Math.max(seconds, await feed.secondsBehind(last.cursor));
    }
    return seconds;
  }

  /** The webhooks of all resources that the caller may read, oldest first. */
  async list(caller: Principal): Promise<WebhookDto[]> {
    const all = await this.webhooks.find({ order: { createdAt: 'ASC', id: 'ASC' } });
    const described: WebhookDto[] = [];
    for (const webhook of all)
      if (this.mayRead(caller, webhook.resource)) described.push(await this.describe(webhook));
    return described;
  }

  /** @throws ApiException 40401 when the webhook does not exist. */
  async find(id: string, caller: Principal): Promise<WebhookDto> {
    return this.describe(await this.load(id, caller));
  }

  /**
   * Makes a webhook that begins with the changes from now on.
   *
   * @throws ApiException 40001 for an invalid URL or resource, 40904 without `WEBHOOK_KEY` or beyond the maximum number, 41000
   * when no changes are kept.
   */
  async create(newWebhook: NewWebhookDto, caller: Principal): Promise<IssuedWebhookDto> {
    const id = randomBytes(6).toString('hex');
    const { url, resource, kinds } = newWebhook;
    const feed = this.feedOf(resource);
    this.requireAddress(url);
    this.requireScope(caller, resource);
    const cursor = await feed.latest();
    const place = { cursor, createdAt: new Date(), createdBy: caller.id };
    const webhook = { ...FRESH, id, url, kinds, resource, generation: 1, slot: 0, ...place };
    const stored = this.added.then(() => this.add(webhook));
    this.added = stored.catch(() => undefined);
    await stored;
    this.note(id, 'created', caller);
    const secret = this.receivers.secretOf(id, webhook.generation);
    return Object.assign(await this.find(id, caller), { secret });
  }

  /** @throws ApiException 40401 when the webhook does not exist. */
  async remove(id: string, caller: Principal): Promise<void> {
    await this.load(id, caller);
    const { affected } = await this.webhooks.delete({ id });
    if (affected === 0) throw unknownResource('webhook', id);
    this.note(id, 'deleted', caller);
  }

  /**
   * Continues a webhook after a change, by default the last one that its receiver has, whether it is paused or not. From then on it depends on the caller's token.
   *
   * @throws ApiException 40401 when the webhook does not exist, 41000 when the change is not kept.
   */
  async resume(id: string, { after }: ResumeDto, caller: Principal): Promise<WebhookDto> {
    const webhook = await this.load(id, caller);
    const cursor = after ?? webhook.cursor;
    await this.feedOf(webhook.resource).read(cursor, { wanted: 1 }).next();
    return this.change(id, { ...FRESH, cursor, createdBy: caller.id }, 'resumed', caller);
  }

  /** Gives a webhook another address, to which it sends what comes after its cursor. @throws ApiException 40001 for an invalid URL. */
  async move(id: string, { url }: WebhookAddressDto, caller: Principal): Promise<WebhookDto> {
    await this.load(id, caller);
    this.requireAddress(url);
    const moved = { url, nextAttemptAt: null, failingSince: null };
    return this.change(id, moved, 'given another address', caller);
  }

  /** Pauses a webhook until it is resumed. */
  async pause(id: string, caller: Principal): Promise<WebhookDto> {
    await this.load(id, caller);
    return this.change(id, { state: 'paused' }, 'paused', caller);
  }

  /** The latest requests to the receiver of a webhook, newest first. */
  async deliveries(id: string, caller: Principal): Promise<WebhookDeliveryDto[]> {
    const deliveries = await this.delivery.latestOf(await this.load(id, caller));
    return deliveries.map(withoutNulls);
  }

  /** Sends a request without changes to the receiver of a webhook. */
  async test(id: string, caller: Principal): Promise<WebhookDeliveryDto> {
    const webhook = await this.load(id, caller);
    this.requireKey();
    return withoutNulls(await this.delivery.test(webhook));
  }

  /** Gives a webhook a new secret. For a day, the previous secret signs as well. */
  async rotate(id: string, caller: Principal): Promise<WebhookSecretDto> {
    this.requireKey();
    const { generation: before } = await this.load(id, caller);
    const generation = before + 1;
    // Two rotations at the same time make the same secret.
    await this.change(id, { generation, rotatedAt: new Date() }, 'given another secret', caller);
    return { secret: this.receivers.secretOf(id, generation) };
  }

  private async change(
    id: string,
    changes: Partial<Webhook>,
    act: string,
    caller: Principal,
  ): Promise<WebhookDto> {
    await this.webhooks.update({ id }, changes);
    this.note(id, act, caller);
    return this.find(id, caller);
  }

  /** Logs what a caller has done with a webhook, and lets the service notice at once. */
  private note(id: string, act: string, caller: Principal): void {
    this.logger.log(`The webhook ${id} was ${act} by ${caller.id}.`);
    this.delivery.poll();
  }

  private async add(webhook: Partial<Webhook>): Promise<void> {
    await this.webhooks.manager.transaction(async (manager) => {
      // Those that instances create at the same time wait for each other. Transactions of SQLite do so anyway.
      if (manager.dataSource.options.type === 'postgres')
        await manager.query('LOCK TABLE webhooks IN SHARE ROW EXCLUSIVE MODE');
      if ((await manager.count(Webhook)) >= MAX_WEBHOOKS)
        throw webhookRefused(`There are ${MAX_WEBHOOKS} webhooks. Delete one first.`);
      await manager.insert(Webhook, webhook);
    });
  }

  private async load(id: string, caller: Principal): Promise<Webhook> {
    const webhook = await this.webhooks.findOneBy({ id });
    if (webhook === null) throw unknownResource('webhook', id);
    this.requireScope(caller, webhook.resource);
    return webhook;
  }

  /** Whether a caller may read what a webhook sends. `admin` is enough for a resource that the service no longer has. */
  private mayRead({ scopes }: Principal, resource: string): boolean {
    const required = `${resource}:read`;
    return scopes.includes(required) || !this.scopes.includes(required);
  }

  /** @throws ApiException 40300 when the caller may not read what the webhook sends. */
  private requireScope(caller: Principal, resource: string): void {
    if (!this.mayRead(caller, resource))
      throw insufficientScope(
        [ADMIN, `${resource}:read`],
        caller.scopes,
        `, and a webhook sends its ${resource}`,
      );
  }

  private requireKey(): void {
    if (this.settings.WEBHOOK_KEY === undefined)
      throw webhookRefused('Webhooks need the setting WEBHOOK_KEY of the service.');
  }

  private requireAddress(url: string): void {
    this.requireKey();
    const problem = this.receivers.problemOf(url);
    if (problem !== undefined) throw invalid('url', problem);
  }

  /** Why the service delivers nothing. */
  private get whyOff(): string | undefined {
    if (this.feeds.size === 0) return this.feeds.absence;
    return this.settings.WEBHOOK_KEY === undefined ? 'The service has no WEBHOOK_KEY.' : undefined;
  }

  private feedOf(resource: string): ChangeFeed {
    const { feeds } = this;
    if (feeds.size === 0) throw changeNotKept(feeds.absence);
    const followers = feeds.get(resource);
    if (followers === undefined)
      throw invalid('resource', `be among ${[...feeds.keys()].toSorted().join(', ')}`);
    return followers.feed;
  }

  private stateOf({ state, resource }: Webhook): 'active' | 'off' | 'paused' {
    const isOff = this.settings.WEBHOOK_KEY === undefined || !this.feeds.has(resource);
    return state === 'active' && isOff ? 'off' : state;
  }

  private async describe(webhook: Webhook): Promise<WebhookDto> {
    const { id, url, resource, kinds, createdAt, createdBy, cursor } = webhook;
    const { lastSuccessAt, lastFailureAt, lastFailure, nextAttemptAt } = webhook;
    const state = this.stateOf(webhook);
    const behind = (await this.feeds.get(resource)?.feed.count(cursor, MAX_BEHIND)) ?? 0;
    const results = withoutNulls({ createdBy, lastSuccessAt, lastFailureAt, lastFailure, nextAttemptAt });
    return { id, url, resource, kinds, createdAt, state, cursor, behind, ...results };
  }
}

function invalid(field: string, problem: string): ApiException {
  return new ApiException(ErrorValue.InvalidBody, `${field} must ${problem}.`);
}

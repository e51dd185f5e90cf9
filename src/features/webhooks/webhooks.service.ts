import { randomBytes } from 'node:crypto';
import { Inject, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { SCOPES } from '../../kernel/auth/auth.module.js';
import { insufficientScope } from '../../kernel/auth/challenge.js';
import { ADMIN, type Principal, type Scope } from '../../kernel/auth/principal.js';
import { ApiException } from '../../kernel/errors/api.exception.js';
import { ErrorValue } from '../../kernel/errors/error-value.js';
import { withoutNulls } from '../../kernel/resource/resource.js';
import { unknownResource } from '../../kernel/resource/resource-errors.js';
import type { ChangeFeed } from '../changes/change-feed.js';
import { ChangeFeeds } from '../changes/live-feed.js';
import { changeNotKept } from '../changes/change-not-kept.js';
import { webhookRefused } from './webhook-refused.js';
import { Delivery } from './delivery.js';
import { DeliveryLog, type NewDelivery } from './delivery-log.js';
import type {
  IssuedWebhookDto,
  NewWebhookDto,
  ResumeDto,
  WebhookAddressDto,
  WebhookDeliveryDto,
  WebhookDto,
  WebhookSecretDto,
} from './dto/webhook.dto.js';
import { FRESH, Webhook } from './webhook.entity.js';

/** The maximum number of webhooks. */
const MAX_WEBHOOKS = 100;

/** The count of undelivered changes stops here. */
const MAX_BEHIND = 10_000;

/** The rules of webhooks. Every operation requires the scope to read the resource, too, because a receiver gets its content. */
@Injectable()
export class WebhooksService implements OnApplicationBootstrap {
  private readonly logger = new Logger(WebhooksService.name);
  /** Ends when the latest webhook is stored. The next one waits for it, without a connection to the database. */
  private added: Promise<void> = Promise.resolve();

  constructor(
    @InjectRepository(Webhook) private readonly webhooks: Repository<Webhook>,
    private readonly feeds: ChangeFeeds,
    private readonly log: DeliveryLog,
    @Inject(SCOPES) private readonly scopes: readonly Scope[],
    @Inject(Delivery) private readonly delivery: Delivery | undefined,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    const { whyOff } = this;
    if (whyOff === undefined) return;
    const count = await this.webhooks.countBy({ state: 'active' });
    if (count > 0) this.logger.warn(`Webhooks that get no changes: ${count}. ${whyOff}`);
  }

  /** The webhooks of all resources that the caller may read, oldest first. */
  async list(caller: Principal): Promise<WebhookDto[]> {
    const all = await this.webhooks.find({ order: { createdAt: 'ASC', id: 'ASC' } });
    const described: WebhookDto[] = [];
    for (const webhook of all)
      if (this.missingScope(caller, webhook) === undefined) described.push(await this.describe(webhook));
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
    const { receivers } = this.enabled();
    this.requireAddress(url);
    this.requireScope(caller, { resource });
    const cursor = await feed.latest();
    const place = { cursor, createdAt: new Date(), createdBy: caller.id };
    const stored = this.added.then(() =>
      this.add({ ...FRESH, id, url, kinds, resource, generation: 1, slot: 0, ...place }),
    );
    this.added = stored.catch(() => undefined);
    await stored;
    const made = await this.load(id, caller);
    this.note(id, 'created', caller);
    return Object.assign(await this.describe(made), { secret: receivers.secretOf(id, made.generation) });
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
    await this.webhooks.update({ id }, { ...FRESH, cursor, createdBy: caller.id });
    this.note(id, 'resumed', caller);
    return this.find(id, caller);
  }

  /** Gives a webhook another address, to which it sends what comes after its cursor. @throws ApiException 40001 for an invalid URL. */
  async move(id: string, { url }: WebhookAddressDto, caller: Principal): Promise<WebhookDto> {
    await this.load(id, caller);
    this.requireAddress(url);
    await this.webhooks.update({ id }, { url, nextAttemptAt: null, failingSince: null });
    this.note(id, 'given another address', caller);
    return this.find(id, caller);
  }

  /** Pauses a webhook until it is resumed. */
  async pause(id: string, caller: Principal): Promise<WebhookDto> {
    await this.load(id, caller);
    await this.webhooks.update({ id }, { state: 'paused' });
    this.note(id, 'paused', caller);
    return this.find(id, caller);
  }

  /** The latest requests to the receiver of a webhook, newest first. */
  async deliveries(id: string, caller: Principal): Promise<WebhookDeliveryDto[]> {
    const deliveries = await this.log.read(await this.load(id, caller));
    return deliveries.map(asShown);
  }

  /** Sends a request without changes to the receiver of a webhook. */
  async test(id: string, caller: Principal): Promise<WebhookDeliveryDto> {
    const webhook = await this.load(id, caller);
    return asShown(await this.enabled().test(webhook));
  }

  /** Gives a webhook a new secret. For a day, the previous secret signs as well. */
  async rotate(id: string, caller: Principal): Promise<WebhookSecretDto> {
    const { receivers } = this.enabled();
    const { generation: before } = await this.load(id, caller);
    const generation = before + 1;
    // Two rotations at the same time make the same secret.
    await this.webhooks.update({ id }, { generation, rotatedAt: new Date() });
    this.note(id, 'given another secret', caller);
    return { secret: receivers.secretOf(id, generation) };
  }

  private requireAddress(url: string): void {
    const problem = this.enabled().receivers.problemOf(url);
    if (problem !== undefined) throw invalid('url', problem);
  }

  /** Logs what a caller has done with a webhook, and lets the service notice at once. */
  private note(id: string, act: string, caller: Principal): void {
    this.logger.log(`The webhook ${id} was ${act} by ${caller.id}.`);
    this.delivery?.poll();
  }

  /** Stores a webhook, unless there is one with its id. Those that instances make at the same time wait for each other. */
  private async add(webhook: Partial<Webhook> & Pick<Webhook, 'id'>): Promise<void> {
    await this.webhooks.manager.transaction(async (manager) => {
      // Transactions of SQLite wait for each other anyway.
      if (manager.dataSource.options.type === 'postgres')
        await manager.query('LOCK TABLE webhooks IN SHARE ROW EXCLUSIVE MODE');
      if (await manager.existsBy(Webhook, { id: webhook.id })) return;
      if ((await manager.count(Webhook)) >= MAX_WEBHOOKS)
        throw webhookRefused(`There are ${MAX_WEBHOOKS} webhooks. Delete one first.`);
      await manager.insert(Webhook, webhook);
    });
  }

  private async load(id: string, caller: Principal): Promise<Webhook> {
    const webhook = await this.webhooks.findOneBy({ id });
    if (webhook === null) throw unknownResource('webhook', id);
    this.requireScope(caller, webhook);
    return webhook;
  }

  /** The scope that a caller needs and lacks. `admin` is enough for a resource that the service no longer has. */
  private missingScope({ scopes }: Principal, { resource }: Pick<Webhook, 'resource'>): Scope | undefined {
    const required: Scope = `${resource}:read`;
    return scopes.includes(required) || !this.scopes.includes(required) ? undefined : required;
  }

  /** @throws ApiException 40300 when the caller may not read what the webhook sends. */
  private requireScope(caller: Principal, webhook: Pick<Webhook, 'resource'>): void {
    const missing = this.missingScope(caller, webhook);
    if (missing !== undefined)
      throw insufficientScope(
        [ADMIN, missing],
        caller.scopes,
        `, and a webhook sends its ${webhook.resource}`,
      );
  }

  /** Why the service delivers nothing. */
  private get whyOff(): string | undefined {
    if (this.feeds.size === 0) return this.feeds.absence;
    return this.delivery === undefined ? 'The service has no WEBHOOK_KEY.' : undefined;
  }

  private enabled(): Delivery {
    if (this.delivery !== undefined) return this.delivery;
    throw webhookRefused('Webhooks need the setting WEBHOOK_KEY of the service.');
  }

  private feedOf(resource: string): ChangeFeed {
    const { feeds } = this;
    if (feeds.size === 0) throw changeNotKept(feeds.absence);
    const followers = feeds.get(resource);
    if (followers === undefined)
      throw invalid('resource', `be among ${[...feeds.keys()].toSorted().join(', ')}`);
    return followers.feed;
  }

  private async describe(webhook: Webhook): Promise<WebhookDto> {
    const { id, url, resource, kinds, createdAt, createdBy, cursor } = webhook;
    const { lastSuccessAt, lastFailureAt, lastFailure, nextAttemptAt } = webhook;
    const followers = this.feeds.get(resource);
    const isOff = this.delivery === undefined || followers === undefined;
    const state = webhook.state === 'active' && isOff ? 'off' : webhook.state;
    const behind = (await followers?.feed.count(cursor, MAX_BEHIND)) ?? 0;
    const results = withoutNulls({ createdBy, lastSuccessAt, lastFailureAt, lastFailure, nextAttemptAt });
    return { id, url, resource, kinds, createdAt, state, cursor, behind, ...results };
  }
}

function asShown({ id, at, milliseconds, changes, after, cursor, ...rest }: NewDelivery): WebhookDeliveryDto {
  const { status, failure, response } = rest;
  return withoutNulls({ id, at, milliseconds, changes, after, cursor, status, failure, response });
}

function invalid(field: string, problem: string): ApiException {
  return new ApiException(ErrorValue.InvalidBody, `${field} must ${problem}.`);
}

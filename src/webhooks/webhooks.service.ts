import { randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { ApiException } from '../errors/api.exception.js';
import { ErrorValue } from '../errors/error-value.js';
import { withoutNulls } from '../resource/resource.js';
import { unknownResource } from '../resource/resource-errors.js';
import type { ChangeFeed } from '../store/changes/change-feed.js';
import { ChangeFeeds } from '../store/changes/followers.js';
import { Delivery } from './delivery.js';
import type {
  IssuedWebhookDto,
  NewWebhookDto,
  ResumeDto,
  WebhookDto,
  WebhookSecretDto,
} from './dto/webhook.dto.js';
import { FRESH, Webhook } from './webhook.entity.js';

/** The maximum number of webhooks. */
const MAX_WEBHOOKS = 100;

/** Where the count of changes behind a webhook ends. */
const MAX_BEHIND = 10_000;

/** The rules of webhooks. */
@Injectable()
export class WebhooksService {
  constructor(
    @InjectRepository(Webhook) private readonly webhooks: Repository<Webhook>,
    private readonly feeds: ChangeFeeds,
    @Inject(Delivery) private readonly delivery: Delivery | undefined,
  ) {}

  /** All webhooks, oldest first. */
  async list(): Promise<WebhookDto[]> {
    const all = await this.webhooks.find({ order: { createdAt: 'ASC', id: 'ASC' } });
    const described: WebhookDto[] = [];
    for (const webhook of all) described.push(await this.describe(webhook));
    return described;
  }

  /** @throws ApiException 40401 when the webhook does not exist. */
  async find(id: string): Promise<WebhookDto> {
    return this.describe(await this.load(id));
  }

  /**
   * Makes a webhook that begins with the changes from now on.
   *
   * @throws ApiException 40001 for a URL or a resource that cannot be, 40904 when there can be no more webhooks, 41000 without a feed.
   */
  async create({ url, resource, kinds }: NewWebhookDto): Promise<IssuedWebhookDto> {
    const { receivers } = this.enabled();
    const problem = receivers.problemOf(url);
    if (problem !== undefined) throw invalid('url', problem);
    const feed = this.feedOf(resource);
    if ((await this.webhooks.count()) >= MAX_WEBHOOKS)
      throw new ApiException(
        ErrorValue.WebhookRefused,
        `There are ${MAX_WEBHOOKS} webhooks. Delete one first.`,
      );
    const id = randomBytes(6).toString('hex');
    const cursor = await feed.latest();
    const createdAt = new Date();
    await this.webhooks.insert({ ...FRESH, id, url, kinds, resource, cursor, createdAt, generation: 1 });
    this.delivery?.look();
    return Object.assign(await this.find(id), { secret: receivers.secretOf(id, 1) });
  }

  /** @throws ApiException 40401 when the webhook does not exist. */
  async remove(id: string): Promise<void> {
    const { affected } = await this.webhooks.delete({ id });
    if (affected === 0) throw unknownResource('webhook', id);
    this.delivery?.look();
  }

  /**
   * Lets a webhook go on behind a change, whether it is paused or not.
   *
   * @throws ApiException 40401 when the webhook does not exist, 41000 when the change is not kept.
   */
  async resume(id: string, { after: cursor }: ResumeDto): Promise<WebhookDto> {
    const { resource } = await this.load(id);
    await this.feedOf(resource).read(cursor, { wanted: 1 }).next();
    await this.webhooks.update({ id }, { ...FRESH, cursor });
    this.delivery?.look();
    return this.find(id);
  }

  /** Gives a webhook a new secret. The one before signs too for a day. */
  async rotate(id: string): Promise<WebhookSecretDto> {
    const { receivers } = this.enabled();
    const { generation: before } = await this.load(id);
    const generation = before + 1;
    // Two rotations at the same time make the same secret.
    await this.webhooks.update({ id }, { generation, rotatedAt: new Date() });
    return { secret: receivers.secretOf(id, generation) };
  }

  private async load(id: string): Promise<Webhook> {
    const webhook = await this.webhooks.findOneBy({ id });
    if (webhook === null) throw unknownResource('webhook', id);
    return webhook;
  }

  private enabled(): Delivery {
    if (this.delivery !== undefined) return this.delivery;
    throw new ApiException(
      ErrorValue.WebhookRefused,
      'Webhooks need the setting WEBHOOK_KEY of the service.',
    );
  }

  private feedOf(resource: string): ChangeFeed {
    const { feeds } = this;
    if (feeds.size === 0) throw new ApiException(ErrorValue.ChangeNotKept, 'The service keeps no changes.');
    const followers = feeds.get(resource);
    if (followers === undefined)
      throw invalid('resource', `be among ${[...feeds.keys()].toSorted().join(', ')}`);
    return followers.feed;
  }

  private async describe(webhook: Webhook): Promise<WebhookDto> {
    const { id, url, resource, kinds, createdAt, state, cursor } = webhook;
    const { lastSuccessAt, lastFailureAt, lastFailure } = webhook;
    const behind = (await this.feeds.get(resource)?.feed.count(cursor, MAX_BEHIND)) ?? 0;
    const results = withoutNulls({ lastSuccessAt, lastFailureAt, lastFailure });
    return { id, url, resource, kinds, createdAt, state, cursor, behind, ...results };
  }
}

function invalid(field: string, problem: string): ApiException {
  return new ApiException(ErrorValue.InvalidBody, `${field} must ${problem}.`);
}

import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { Gauge, type Reading } from '../../kernel/logging/gauge.decorator.js';
import { ChangeFeeds } from '../changes/live-feed.js';
import { Webhook } from './webhook.entity.js';
import { WebhookSettings } from './webhooks.settings.js';

/** The metrics of webhooks. */
@Injectable()
export class WebhookGauges {
  constructor(
    private readonly settings: WebhookSettings,
    private readonly feeds: ChangeFeeds,
    @InjectRepository(Webhook) private readonly webhooks: Repository<Webhook>,
  ) {}

  @Gauge({
    name: 'plant_store_webhooks',
    help: 'Webhooks by state; an active one is failing if its last request has failed, and off if the service cannot deliver.',
    label: 'state',
  })
  async countByState(): Promise<Reading> {
    const counts = { active: 0, failing: 0, off: 0, paused: 0 };
    for (const { state, failingSince, resource } of await this.webhooks.find()) {
      if (state !== 'active') counts[state] += 1;
      else if (this.settings.WEBHOOK_KEY === undefined || !this.feeds.has(resource)) counts.off += 1;
      else counts[failingSince === null ? 'active' : 'failing'] += 1;
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
}

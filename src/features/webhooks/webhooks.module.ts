import { Module } from '@nestjs/common';
import { getRepositoryToken, TypeOrmModule } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { AccessTokensModule } from '../../kernel/auth/auth.module.js';
import { AccessTokensService } from '../../kernel/auth/access-tokens.service.js';
import { ChangeFeeds } from '../changes/live-feed.js';
import { StoreModule } from '../../kernel/store/store.module.js';
import { Delivery } from './delivery.js';
import { DeliveryLog } from './delivery-log.js';
import { describeDeliveries } from './describe-deliveries.js';
import { WebhookGauges } from './webhook-gauges.js';
import { Webhook } from './webhook.entity.js';
import { WebhookDelivery } from './webhook-delivery.entity.js';
import { WebhooksController } from './webhooks.controller.js';
import { WebhookSettings } from './webhooks.settings.js';
import { WebhooksService } from './webhooks.service.js';

const DELIVERY = {
  provide: Delivery,
  useFactory: (
    settings: WebhookSettings,
    feeds: ChangeFeeds,
    repository: Repository<Webhook>,
    tokens: AccessTokensService,
    log: DeliveryLog,
  ) => settings.WEBHOOK_KEY && new Delivery(settings, feeds, repository, tokens, log),
  inject: [WebhookSettings, ChangeFeeds, getRepositoryToken(Webhook), AccessTokensService, DeliveryLog],
};

@Module({
  imports: [AccessTokensModule, StoreModule, TypeOrmModule.forFeature([Webhook, WebhookDelivery])],
  controllers: [WebhooksController],
  providers: [DELIVERY, DeliveryLog, WebhookGauges, WebhooksService],
})
export class WebhooksModule {
  static readonly settings = WebhookSettings;
  static readonly tag = {
    name: 'webhooks',
    description:
      'Receivers to which the service sends changes. A token needs the scope to read the resource, too, such as `plants:read`.',
  };
  static readonly describe = describeDeliveries;
}

import { Module } from '@nestjs/common';
import { getRepositoryToken, TypeOrmModule } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { AccessTokensModule } from '../../auth/auth.module.js';
import { AccessTokensService } from '../../auth/access-tokens.service.js';
import { ChangeFeeds } from '../changes/followers.js';
import { StoreModule } from '../../store/store.module.js';
import { Delivery } from './delivery.js';
import { describeDeliveries } from './describe-deliveries.js';
import { Webhook } from './webhook.entity.js';
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
  ) => settings.WEBHOOK_KEY && new Delivery(settings, feeds, repository, tokens),
  inject: [WebhookSettings, ChangeFeeds, getRepositoryToken(Webhook), AccessTokensService],
};

@Module({
  imports: [AccessTokensModule, StoreModule, TypeOrmModule.forFeature([Webhook])],
  controllers: [WebhooksController],
  providers: [DELIVERY, WebhooksService],
})
export class WebhooksModule {
  static readonly settings = WebhookSettings;
  static readonly tag = {
    name: 'webhooks',
    description:
      'Where the service sends what has changed. A token needs the scope to read the resource, too, such as `plants:read`.',
  };
  static readonly describe = describeDeliveries;
}

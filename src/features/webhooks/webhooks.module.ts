import { Module } from '@nestjs/common';
import { getRepositoryToken, TypeOrmModule } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { AccessTokensModule } from '../../auth/auth.module.js';
import { AccessTokensService } from '../../auth/access-tokens.service.js';
import { Settings } from '../../config/settings.js';
import { ChangeFeeds } from '../changes/followers.js';
import { StoreModule } from '../../store/store.module.js';
import { Delivery } from './delivery.js';
import { describeDeliveries } from './describe-deliveries.js';
import { Webhook } from './webhook.entity.js';
import { WebhooksController } from './webhooks.controller.js';
import { WebhooksService } from './webhooks.service.js';

const DELIVERY = {
  provide: Delivery,
  useFactory: (
    { webhooks }: Settings,
    feeds: ChangeFeeds,
    repository: Repository<Webhook>,
    tokens: AccessTokensService,
  ) => webhooks && new Delivery(webhooks, feeds, repository, tokens),
  inject: [Settings, ChangeFeeds, getRepositoryToken(Webhook), AccessTokensService],
};

@Module({
  imports: [AccessTokensModule, StoreModule, TypeOrmModule.forFeature([Webhook])],
  controllers: [WebhooksController],
  providers: [DELIVERY, WebhooksService],
})
export class WebhooksModule {
  static readonly tag = {
    name: 'webhooks',
    description:
      'Where the service sends what has changed. A token needs the scope to read the resource, too, such as `plants:read`.',
  };
  static readonly describe = describeDeliveries;
}

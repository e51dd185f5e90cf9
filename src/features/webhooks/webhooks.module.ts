import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccessTokensModule } from '../../kernel/auth/auth.module.js';
import { StoreModule } from '../../kernel/store/store.module.js';
import { Delivery } from './delivery.js';
import { describeDeliveries } from './describe-deliveries.js';
import { Receivers } from './receivers.js';
import { Webhook, WebhookDelivery } from './webhook.entity.js';
import { WebhooksController } from './webhooks.controller.js';
import { WebhookSettings } from './webhooks.settings.js';
import { WebhooksService } from './webhooks.service.js';

@Module({
  imports: [AccessTokensModule, StoreModule, TypeOrmModule.forFeature([Webhook, WebhookDelivery])],
  controllers: [WebhooksController],
  providers: [Delivery, Receivers, WebhooksService],
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

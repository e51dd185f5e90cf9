import { Injectable } from '@nestjs/common';
import { DataSource, type FindOptionsWhere } from 'typeorm';
import { Webhook } from './webhook.entity.js';
import { WebhookDelivery } from './webhook-delivery.entity.js';

/** How many deliveries of a webhook are kept. */
export const MAX_DELIVERIES = 100;

/** A delivery before it is stored. */
export type NewDelivery = Omit<WebhookDelivery, 'webhook' | 'slot'>;

/** The latest deliveries of each webhook. Each takes the slot of the oldest one, so the table does not grow. */
@Injectable()
export class DeliveryLog {
  constructor(private readonly dataSource: DataSource) {}

  /** Stores a delivery and its result in one transaction. Stores neither if the webhook is no longer as in `where`. */
  async note(
    where: FindOptionsWhere<Webhook> & Pick<Webhook, 'id'>,
    result: Partial<Webhook>,
    delivery: NewDelivery,
  ): Promise<void> {
    await this.dataSource.transaction(async (manager) => {
      const slot = () => `(slot + 1) % ${MAX_DELIVERIES}`;
      const { affected } = await manager.update(Webhook, where, { ...result, slot });
      if (affected === 0) return;
      const webhook = await manager.findOneByOrFail(Webhook, { id: where.id });
      const row = { ...delivery, webhook: webhook.id, slot: webhook.slot };
      await manager.upsert(WebhookDelivery, row, ['webhook', 'slot']);
    });
  }

  /** The deliveries of a webhook, newest first by slot, because clocks may be wrong. */
  async read({ id: webhook, slot: latest }: Webhook): Promise<WebhookDelivery[]> {
    const rows = await this.dataSource.getRepository(WebhookDelivery).findBy({ webhook });
    const ageOf = ({ slot }: WebhookDelivery) => (latest - slot + MAX_DELIVERIES) % MAX_DELIVERIES;
    return rows.toSorted((one, other) => ageOf(one) - ageOf(other));
  }
}

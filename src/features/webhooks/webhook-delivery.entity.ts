import { Column, Entity, PrimaryColumn } from 'typeorm';
import { int64, timestamp } from '../../kernel/database/column-types.js';
import type { Attempt } from './receivers.js';

/** A row of `webhook_deliveries`: one request to the receiver of a webhook, and the response. */
@Entity('webhook_deliveries')
export class WebhookDelivery implements Attempt {
  @PrimaryColumn('text')
  webhook: string;

  @PrimaryColumn('integer')
  slot: number;

  /** The header `webhook-id`; repeated by retries. */
  @Column('text')
  id: string;

  @Column('text', { transformer: timestamp })
  at: Date;

  @Column('integer')
  milliseconds: number;

  /** How many changes it had; a test has none. */
  @Column('integer')
  changes: number;

  /** The cursors between which its changes are; null for a test. */
  @Column('bigint', { nullable: true, transformer: int64 })
  after: bigint | null;

  @Column('bigint', { nullable: true, transformer: int64 })
  cursor: bigint | null;

  @Column('integer', { nullable: true })
  status: number | null;

  @Column('text', { nullable: true })
  failure: string | null;

  @Column('text', { nullable: true })
  response: string | null;
}

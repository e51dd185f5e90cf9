import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { KINDS } from '../changes/change-feed.js';
import { int64, timestamp } from '../../kernel/database/column-types.js';

export type Kind = (typeof KINDS)[number];

/** A row of `webhooks`: where changes go, how far they have got, and which instance sends them. It holds no secret. */
@Entity('webhooks')
export class Webhook {
  @PrimaryColumn('text')
  id: string;

  @Column('text')
  url: string;

  @Column('text')
  resource: string;

  @Column('simple-array')
  kinds: readonly Kind[];

  /** The number of its current secret, which is derived from `WEBHOOK_KEY`, the id and this number. */
  @Column('integer')
  generation: number;

  @Column('text', { name: 'created_at', transformer: timestamp })
  createdAt: Date;

  /** When its secret was last rotated; null before the first rotation. */
  @Column('text', { name: 'rotated_at', nullable: true, transformer: timestamp })
  rotatedAt: Date | null;

  /** The principal that created or last resumed it; null in rows of older versions. */
  @Column('text', { name: 'made_by', nullable: true })
  createdBy: string | null;

  @Column('text')
  state: 'active' | 'paused';

  /** The cursor of the last change that the receiver has accepted. */
  @Column('bigint', { transformer: int64 })
  cursor: bigint;

  @Column('text', { name: 'next_attempt_at', nullable: true, transformer: timestamp })
  nextAttemptAt: Date | null;

  @Column('text', { name: 'failing_since', nullable: true, transformer: timestamp })
  failingSince: Date | null;

  @Column('text', { name: 'last_success_at', nullable: true, transformer: timestamp })
  lastSuccessAt: Date | null;

  @Column('text', { name: 'last_failure_at', nullable: true, transformer: timestamp })
  lastFailureAt: Date | null;

  @Column('text', { name: 'last_failure', nullable: true })
  lastFailure: string | null;

  /** The slot of its latest delivery. */
  @Column('integer')
  slot: number;

  /** The instance that delivers it, until the lease ends. */
  @Column('text', { name: 'lease_holder' })
  leaseHolder: string;

  @Column('text', { name: 'lease_until', transformer: timestamp })
  leaseUntil: Date;
}

/** The columns of a webhook that has not failed and that no instance delivers. */
export const FRESH = {
  state: 'active',
  nextAttemptAt: null,
  failingSince: null,
  leaseHolder: '',
  leaseUntil: new Date(0),
} as const satisfies Partial<Webhook>;

/** A row of `webhook_deliveries`: one request to the receiver of a webhook, and the response. */
@Entity('webhook_deliveries')
export class WebhookDelivery {
  @PrimaryColumn('text')
  webhook: string;

  @PrimaryColumn('integer')
  slot: number;

  /** The header `webhook-id`; repeated by retries. */
  @Column('text')
  id: string;

  @Column('text', { transformer: timestamp })
  at: Date;

  /** Milliseconds until the response or the failure. */
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

  /** Null without a response. */
  @Column('integer', { nullable: true })
  status: number | null;

  /** Why the receiver has not taken the request; null if it has. */
  @Column('text', { nullable: true })
  failure: string | null;

  /** The beginning of the body of a response that is not 2xx. */
  @Column('text', { nullable: true })
  response: string | null;
}

import { Column, Entity, PrimaryColumn } from 'typeorm';
import { int64 } from '../../../src/kernel/database/column-types.js';

/** What a person who sees all offers may decide of one that is open. */
export const DECISIONS = ['approved', 'rejected'] as const;

export type Decision = (typeof DECISIONS)[number];

/** A row of `offers`: a cutting that somebody sells. */
@Entity('offers')
export class Offer {
  @PrimaryColumn('bigint', { transformer: int64 })
  id: bigint;

  @Column('text')
  title: string;

  /** In hundredths, so that it is exact. */
  @Column('bigint', { nullable: true, transformer: int64 })
  price: bigint | null;

  @Column('text', { nullable: true })
  currency: string | null;

  @Column('text', { nullable: true })
  owner: string | null;

  @Column('text')
  state: 'open' | Decision;

  /** What nobody is told: who took the offer in. */
  @Column('text', { nullable: true, select: false })
  clerk: string | null;
}

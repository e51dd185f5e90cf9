import { Entity, PrimaryColumn, Column } from 'typeorm';
import { int64 } from '../../../src/kernel/database/column-types.js';

/** A row of `shares`: a person, as `ownerOf()` names one, who may read the offer of another. */
@Entity('shares')
export class Share {
  @PrimaryColumn('bigint', { transformer: int64 })
  offer: bigint;

  @PrimaryColumn('text')
  person: string;

  /** Refers to the offer together with its id, so that nobody shares an offer of others, or one that took the place of theirs. */
  @Column('text')
  owner: string;
}

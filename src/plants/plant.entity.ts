import { Column, Entity, PrimaryColumn } from 'typeorm';
import { int64 } from '../kernel/database/column-types.js';

/** A row of `plants`. */
@Entity('plants')
export class Plant {
  /** Chosen by the client; any int64. */
  @PrimaryColumn('bigint', { transformer: int64 })
  id: bigint;

  @Column('text')
  name: string;

  @Column('text', { nullable: true })
  tag: string | null;
}

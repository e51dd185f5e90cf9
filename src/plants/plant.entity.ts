import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A row of `plants`. */
@Entity('plants')
export class Plant {
  /** Chosen by the client; any int64. */
  @PrimaryColumn('integer')
  id: bigint;

  @Column('text')
  name: string;

  @Column('text', { nullable: true })
  tag: string | null;
}

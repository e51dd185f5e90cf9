import { Column, Entity, PrimaryColumn, type ValueTransformer } from 'typeorm';

/** SQLite gives integers as JavaScript numbers, which are rounded beyond 2^53: better no plant than another plant's id. */
const exactId: ValueTransformer = {
  to: (id: unknown) => id,
  from: (id: number) => {
    if (!Number.isSafeInteger(id)) throw new RangeError('Read this id as text: CAST(id AS TEXT).');
    return BigInt(id);
  },
};

/** A row of `plants`. */
@Entity('plants')
export class Plant {
  /** Chosen by the client; any int64. */
  @PrimaryColumn('integer', { transformer: exactId })
  id: bigint;

  @Column('text')
  name: string;

  @Column('text', { nullable: true })
  tag: string | null;
}

import { Column, Entity, PrimaryColumn, type ValueTransformer } from 'typeorm';

/**
 * PostgreSQL gives an int64 as text, SQLite as a JavaScript number, which is rounded beyond 2^53: better no plant than
 * another plant's id.
 */
const exactId: ValueTransformer = {
  to: (id: unknown) => id,
  from: (id: number | string) => {
    if (typeof id === 'number' && !Number.isSafeInteger(id))
      throw new RangeError('Read this id as text: CAST(id AS TEXT).');
    return BigInt(id);
  },
};

/** A row of `plants`. */
@Entity('plants')
export class Plant {
  /** Chosen by the client; any int64. */
  @PrimaryColumn('bigint', { transformer: exactId })
  id: bigint;

  @Column('text')
  name: string;

  @Column('text', { nullable: true })
  tag: string | null;
}

import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { int64 } from '../../../src/kernel/database/column-types.js';
import { Plant } from '../../../src/plants/plant.entity.js';

/** A row of `photos`, whose id is a UUID. */
@Entity('photos')
export class Photo {
  @PrimaryColumn('text')
  id: string;

  @Column('bigint', { transformer: int64 })
  @ForeignKey(() => Plant)
  plant: bigint;

  @Column('text')
  type: string;

  /** Null until all parts are stored. */
  @Column('integer', { nullable: true })
  size: number | null;
}

/** A row of `photo_parts`. */
@Entity('photo_parts')
export class PhotoPart {
  @PrimaryColumn('text')
  @ForeignKey(() => Photo)
  photo: string;

  @PrimaryColumn('integer')
  number: number;

  /** BLOB or bytea in the migration. TypeORM has no name for both, and passes on what a text column gets. */
  @Column('text')
  bytes: Buffer;
}

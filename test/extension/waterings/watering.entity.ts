import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { Plant } from '../../../src/plants/plant.entity.js';
import { int64, timestamp } from '../../../src/kernel/database/column-types.js';

/** How a plant gets water. */
export const METHODS = ['can', 'hose', 'rain'] as const;

/** A row of `waterings`. Its id is a UUID. */
@Entity('waterings')
export class Watering {
  @PrimaryColumn('text')
  id: string;

  @Column('bigint', { transformer: int64 })
  @ForeignKey(() => Plant)
  plant: bigint;

  @Column('text', { transformer: timestamp })
  at: Date;

  @Column('double precision')
  litres: number;

  @Column('text')
  method: (typeof METHODS)[number];

  @Column('double precision', { nullable: true })
  celsius: number | null;
}

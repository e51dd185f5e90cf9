import { Column, Entity, JoinTable, ManyToMany, PrimaryColumn } from 'typeorm';
import { Plant } from '../../../src/plants/plant.entity.js';

/** A row of `gardens`, with its plants by the rows of `garden_plants`. */
@Entity('gardens')
export class Garden {
  @PrimaryColumn('text')
  name: string;

  @Column('text', { nullable: true })
  note: string | null;

  @ManyToMany(() => Plant)
  @JoinTable({
    name: 'garden_plants',
    joinColumn: { name: 'garden' },
    inverseJoinColumn: { name: 'plant' },
  })
  plants?: Plant[];
}

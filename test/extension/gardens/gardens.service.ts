import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { DataSource, type Repository } from 'typeorm';
import { Plant } from '../../../src/plants/plant.entity.js';
import { type Page, pageOf, type PageQuery } from '../../../src/kernel/resource/page.js';
import { unknownResource, wrongCursor } from '../../../src/kernel/resource/resource-errors.js';
import { parseInt64 } from '../../../src/kernel/validation/decorators.js';
import { Garden } from './garden.entity.js';

/** The table of `Garden.plants`. */
const GARDEN_PLANTS = 'garden_plants';

/** The rules of gardens, by TypeORM alone. */
@Injectable()
export class GardensService {
  constructor(
    @InjectRepository(Garden) private readonly gardens: Repository<Garden>,
    @InjectRepository(Plant) private readonly plants: Repository<Plant>,
    private readonly dataSource: DataSource,
  ) {}

  put(name: string, note: string | undefined): Promise<Garden> {
    return this.gardens.save({ name, note: note ?? null });
  }

  find(name: string): Promise<Garden> {
    return this.gardens.findOneByOrFail({ name });
  }

  async remove(name: string): Promise<void> {
    const { affected } = await this.gardens.delete({ name });
    if (affected === 0) throw unknownResource('garden', name, 'name');
  }

  /** Adds a plant to a garden, where it may be already. */
  async addPlant(garden: string, plant: bigint): Promise<void> {
    await this.dataSource
      .createQueryBuilder()
      .insert()
      .into(GARDEN_PLANTS)
      .values({ garden, plant })
      .orIgnore()
      .execute();
  }

  async removePlant(garden: string, plant: bigint): Promise<void> {
    await this.dataSource.createQueryBuilder().relation(Garden, 'plants').of(garden).remove(plant);
  }

  /** The plants of a garden in ascending id. */
  async listPlants(garden: string, { limit, after }: PageQuery): Promise<Page<Plant>> {
    await this.find(garden);
    const found = this.plants
      .createQueryBuilder('plant')
      .innerJoin(GARDEN_PLANTS, 'planted', 'planted.plant = plant.id AND planted.garden = :garden', {
        garden,
      })
      .orderBy('plant.id')
      .limit(limit + 1);
    if (after !== undefined) found.where('plant.id > :place', { place: placeOf(after) });
    return pageOf(await found.getMany(), limit, ({ id }) => String(id));
  }

  /** Moves all plants of another garden to a garden, and deletes the other one: all of that or nothing. */
  merge(name: string, other: string): Promise<Garden> {
    return this.dataSource.transaction(async (manager) => {
      const load = (which: string) =>
        manager.findOneOrFail(Garden, { where: { name: which }, relations: { plants: true } });
      const [garden, merged] = [await load(name), await load(other)];
      const plants = new Map(
        [...(garden.plants ?? []), ...(merged.plants ?? [])].map((plant) => [plant.id, plant]),
      );
      await manager.save(Garden, { name, plants: [...plants.values()] });
      await manager.remove(merged);
      return manager.findOneByOrFail(Garden, { name });
    });
  }
}

/** @throws ApiException 40002 when the text is no id. */
function placeOf(after: string): bigint {
  const id = parseInt64(after);
  if (id === undefined) throw wrongCursor();
  return id;
}

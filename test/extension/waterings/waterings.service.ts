import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { Plant } from '../../../src/plants/plant.entity.js';
import type { Collection } from '../../../src/kernel/resource/collection.js';
import type { Preconditions } from '../../../src/kernel/resource/conditional-requests.js';
import type { JsonPage, PageQuery } from '../../../src/kernel/resource/page.js';
import { InjectCollection } from '../../../src/kernel/resource/resource.module.js';
import { Snapshots } from '../../../src/kernel/store/scans/snapshots.js';
import type { NewWateringDto, WateringDto, WateringPatchDto, WateringTotalDto } from './watering.dto.js';
import { Watering } from './watering.entity.js';

/** The order of lists of a plant; the index has the plant before (migration CreateWaterings). */
const BY_TIME = ['at'];

/** Waterings that one statement deletes: others wait for it. */
const SLICE = 500;

/** The rules of waterings. */
@Injectable()
export class WateringsService {
  constructor(
    @InjectCollection(Watering) private readonly waterings: Collection<Watering>,
    @InjectCollection(Plant) private readonly plants: Collection<Plant>,
    @InjectRepository(Watering) private readonly repository: Repository<Watering>,
    private readonly snapshots: Snapshots,
  ) {}

  /** @throws ApiException 40401 when there is no such plant. */
  async create(plant: bigint, newWatering: NewWateringDto): Promise<WateringDto> {
    const watering = Object.assign({ id: randomUUID(), plant }, newWatering);
    await this.waterings.create(watering);
    return watering;
  }

  /** The waterings of a plant, the newest first; 40401 when there is no such plant. */
  async list(plant: bigint, query: PageQuery): Promise<JsonPage<WateringDto>> {
    await this.plants.find(plant);
    return this.waterings.where({ plant }).list({ order: BY_TIME, isDescending: true }, query);
  }

  /** The ten plants that have had the most water. */
  async totals(): Promise<WateringTotalDto[]> {
    const [text, parameters] = this.repository
      .createQueryBuilder('watering')
      .select('watering.plant', 'plant')
      .addSelect('count(*)', 'times')
      .addSelect('sum(watering.litres)', 'total')
      .groupBy('watering.plant')
      .orderBy('total', 'DESC')
      .addOrderBy('watering.plant')
      .limit(10)
      .getQueryAndParameters();
    const rows = await this.snapshots.readOnce((queries) => queries.query(text, parameters));
    return rows as WateringTotalDto[];
  }

  patch(id: string, patch: WateringPatchDto, preconditions: Preconditions): Promise<WateringDto> {
    return this.waterings.patch(id, patch, preconditions);
  }

  /** Deletes the waterings of a plant, of which there may be very many. */
  async clear(plant: bigint): Promise<void> {
    for (;;) {
      const slice = { where: { plant }, order: { at: 'ASC' }, take: SLICE } as const;
      const some = await this.repository.find({ select: { id: true }, ...slice });
      if (some.length === 0) return;
      await this.repository.delete(some.map(({ id }) => id));
    }
  }
}

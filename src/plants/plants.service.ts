import { Injectable } from '@nestjs/common';
import type { Collection } from '../kernel/resource/collection.js';
import { DEFAULT_LIMIT, type JsonPage } from '../kernel/resource/page.js';
import type { Preconditions } from '../kernel/resource/conditional-requests.js';
import { invalidParameter } from '../kernel/resource/resource-errors.js';
import { InjectCollection } from '../kernel/resource/resource.module.js';
import type { IndexColumn, IndexScan } from '../kernel/store/scans/index-scan.js';
import { type CountPlantsQuery, INDEXED, type ListPlantsQuery } from './dto/list-plants.query.js';
import type { NewPlantDto, PlantDto, PlantPatchDto, StoredPlantDto } from './dto/plant.dto.js';
import { Plant } from './plant.entity.js';

/** The orders of lists, each of which is an index (migrations CreatePlants and OrderPlants). */
const BY_ID = ['id'];
const BY_NAME: readonly IndexColumn[] = [{ first: INDEXED, of: 'name' }, 'id'];
const BY_TAG: readonly IndexColumn[] = [{ first: INDEXED, of: 'tag' }, ...BY_NAME];

/** The rules of plants. A write is on disk when its promise resolves. */
@Injectable()
export class PlantsService {
  constructor(@InjectCollection(Plant) private readonly plants: Collection<Plant>) {}

  /** @throws ApiException 40900 when the id is taken. */
  async create({ id, ...plant }: NewPlantDto): Promise<PlantDto> {
    await this.plants.create({ id, ...plant });
    return plant;
  }

  /** @throws ApiException 40002 when some parameters do not go together. */
  async list(query: ListPlantsQuery): Promise<JsonPage<StoredPlantDto>> {
    const { ids, limit, ...others } = query;
    if (ids === undefined) return this.plants.list(this.scanOf(query), query);
    if (limit !== DEFAULT_LIMIT || Object.keys(others).length > 0)
      throw invalidParameter('ids cannot be combined with other parameters');
    return this.plants.findAll(ids);
  }

  async count(query: CountPlantsQuery): Promise<number> {
    return this.plants.count(this.scanOf(query), query);
  }

  /** @throws ApiException 40401 when the plant does not exist. */
  find(id: bigint): Promise<StoredPlantDto> {
    return this.plants.find(id);
  }

  /** @throws ApiException 41200 when a precondition fails. */
  put(
    id: bigint,
    plant: PlantDto,
    preconditions: Preconditions,
  ): Promise<{ representation: StoredPlantDto; isNew: boolean }> {
    return this.plants.put(id, plant, preconditions);
  }

  /** @throws ApiException 40401 when the plant does not exist, 41200 when a precondition fails. */
  patch(id: bigint, patch: PlantPatchDto, preconditions: Preconditions): Promise<StoredPlantDto> {
    return this.plants.patch(id, patch, preconditions);
  }

  /** @throws ApiException 40401 when the plant does not exist, 41200 when a precondition fails. */
  remove(id: bigint, preconditions: Preconditions): Promise<void> {
    return this.plants.remove(id, preconditions);
  }

  private scanOf({ tag, name: prefix, sort }: Pick<ListPlantsQuery, 'tag' | 'name' | 'sort'>): IndexScan {
    const isFiltered = tag !== undefined || prefix !== undefined;
    const property = sort?.replace('-', '') ?? (isFiltered ? 'name' : 'id');
    const isDescending = sort?.startsWith('-') ?? false;
    if (isFiltered && property === 'id')
      throw invalidParameter('sort must be name or -name with tag or name');
    if (tag !== undefined) return { order: BY_TAG, equal: [tag], prefix, isDescending };
    return { order: property === 'id' ? BY_ID : BY_NAME, prefix, isDescending };
  }
}

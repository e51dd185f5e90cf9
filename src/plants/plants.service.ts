import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { Settings } from '../config/settings.js';
import { GroupCommit } from '../database/group-commit.js';
import type { Preconditions } from '../http/preconditions.js';
import type { ListPlantsQuery } from './dto/list-plants.query.js';
import type { NewPlantDto } from './dto/new-plant.dto.js';
import type { PlantPatchDto } from './dto/plant-patch.dto.js';
import type { PlantDto } from './dto/plant.dto.js';
import type { StoredPlantDto } from './dto/stored-plant.dto.js';
import { ENTITY_TAG } from './entity-tag.js';
import { listPlants } from './list-plants.js';
import { idTaken, preconditionFailed, unknownPlant } from './plant-errors.js';
import { Plant } from './plant.entity.js';
import type { IfMatch, PlantOutcome, PlantWrite } from './plant-write.js';
import { findPlants, type PlantRow } from './read-plants.js';
import { plantWriter } from './write-plants.js';

/** A page of a list of plants. */
export interface PlantPage {
  readonly plants: StoredPlantDto[];
  /** The id after which to go on; undefined when there are no more. */
  readonly next: bigint | undefined;
}

/** The rules of the store. Whatever is written is on disk when the promise resolves. */
@Injectable()
export class PlantsService implements OnApplicationShutdown {
  private readonly writes: GroupCommit<PlantWrite, PlantOutcome>;

  constructor(
    @InjectRepository(Plant) private readonly plants: Repository<Plant>,
    { writeQueueLimit }: Settings,
  ) {
    this.writes = new GroupCommit(plantWriter(plants), writeQueueLimit);
  }

  /**
   * Stores a new plant.
   *
   * @throws ApiException 40900 when the id is taken; the plant that has it stays as it is.
   */
  async create({ id, name, tag }: NewPlantDto): Promise<PlantDto> {
    const outcome = await this.writes.add({ kind: 'create', id, name, tag });
    if (outcome === 'taken') throw idTaken(id);
    return tag === undefined ? { name } : { name, tag };
  }

  /** The plants that a query asks for, in ascending id. */
  async list(query: ListPlantsQuery): Promise<PlantPage> {
    const { rows, next } = await listPlants(this.plants.manager, query);
    return { plants: rows.map(asPlant), next };
  }

  /** @throws ApiException 40401 when there is no such plant. */
  async find(id: bigint): Promise<StoredPlantDto> {
    const [row] = await findPlants(this.plants.manager, [id]);
    if (row === undefined) throw unknownPlant(id);
    return asPlant(row);
  }

  /**
   * Creates a plant or replaces the one that has the id; tells which.
   *
   * @throws ApiException 41200 when the plant is not one that the preconditions allow.
   */
  async put(
    id: bigint,
    { name, tag }: PlantDto,
    preconditions: Preconditions,
  ): Promise<{ plant: StoredPlantDto; isNew: boolean }> {
    const mustExist = preconditions.ifMatch !== undefined;
    const outcome = await this.writes.add(
      preconditions.mustNotExist && !mustExist
        ? { kind: 'create', id, name, tag }
        : { kind: 'put', id, name, tag, mustExist, ifMatch: allowedTags(preconditions) },
    );
    if (outcome === 'taken' || outcome === 'mismatch') throw preconditionFailed(id);
    return { plant: tag === undefined ? { id, name } : { id, name, tag }, isNew: outcome === 'created' };
  }

  /**
   * Changes some members of a plant and returns it as it is then.
   *
   * @throws ApiException 40401 when there is no such plant, 41200 when it is not one that the preconditions allow.
   */
  async patch(
    id: bigint,
    { name, tag }: PlantPatchDto,
    preconditions: Preconditions,
  ): Promise<StoredPlantDto> {
    const ifMatch = allowedTags(preconditions);
    const outcome = await this.writes.add({ kind: 'patch', id, name, tag, ifMatch });
    if (outcome === 'missing') throw unknownPlant(id);
    if (typeof outcome === 'string') throw preconditionFailed(id);
    return asPlant(outcome);
  }

  /**
   * Deletes a plant.
   *
   * @throws ApiException 40401 when there is no such plant, 41200 when it is not one that the preconditions allow.
   */
  async remove(id: bigint, preconditions: Preconditions): Promise<void> {
    const outcome = await this.writes.add({ kind: 'delete', id, ifMatch: allowedTags(preconditions) });
    if (outcome === 'missing') throw unknownPlant(id);
    if (outcome === 'mismatch') throw preconditionFailed(id);
  }

  /** What was accepted is written before the database closes. */
  async onApplicationShutdown(): Promise<void> {
    await this.writes.drain();
  }
}

function asPlant({ id, name, tag }: PlantRow): StoredPlantDto {
  return tag === null ? { id: BigInt(id), name } : { id: BigInt(id), name, tag };
}

/** Which plants that are there the preconditions allow: `*` any; a text that is no tag of this service is that of none. */
function allowedTags({ ifMatch, mustNotExist }: Preconditions): IfMatch {
  if (mustNotExist) return [];
  return ifMatch === '*' ? undefined : ifMatch?.filter((tag) => ENTITY_TAG.test(tag));
}

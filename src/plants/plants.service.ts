import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { Settings } from '../config/settings.js';
import { GroupCommit } from '../database/group-commit.js';
import { ApiException } from '../errors/api.exception.js';
import { ErrorValue } from '../errors/error-value.js';
import type { NewPlantDto } from './dto/new-plant.dto.js';
import type { PlantDto } from './dto/plant.dto.js';
import { insertPlants } from './insert-plants.js';
import { Plant } from './plant.entity.js';

/** The rules of the store. */
@Injectable()
export class PlantsService implements OnApplicationShutdown {
  private readonly creates: GroupCommit<NewPlantDto, boolean>;

  constructor(@InjectRepository(Plant) plants: Repository<Plant>, { writeQueueLimit }: Settings) {
    this.creates = new GroupCommit((batch) => insertPlants(plants, batch), writeQueueLimit);
  }

  /**
   * Stores a new plant; when the promise resolves, it is on disk.
   *
   * @throws ApiException 40900 when the id is taken; the plant that has it stays as it is.
   */
  async create(newPlant: NewPlantDto): Promise<PlantDto> {
    const { id, name, tag } = newPlant;
    const created = await this.creates.add(newPlant);
    if (!created) throw new ApiException(ErrorValue.IdTaken, `The id ${id} belongs to another plant.`);
    return tag === undefined ? { name } : { name, tag };
  }

  /** What was accepted is written before the database closes. */
  async onApplicationShutdown(): Promise<void> {
    await this.creates.drain();
  }
}

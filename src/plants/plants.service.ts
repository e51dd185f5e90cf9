import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { ApiException } from '../errors/api.exception.js';
import { ErrorValue } from '../errors/error-value.js';
import type { NewPlantDto } from './dto/new-plant.dto.js';
import type { PlantDto } from './dto/plant.dto.js';
import { Plant } from './plant.entity.js';

/** The rules of the store. */
@Injectable()
export class PlantsService {
  constructor(@InjectRepository(Plant) private readonly plants: Repository<Plant>) {}

  /**
   * Stores a new plant; when the promise resolves, it is on disk.
   *
   * @throws ApiException 40900 when the id is taken; the plant that has it stays as it is.
   */
  async create({ id, name, tag }: NewPlantDto): Promise<PlantDto> {
    // One statement decides and writes. `save()` would read first, and overwrite the plant that has the id.
    const created: unknown[] = await this.plants.query(
      'INSERT INTO plants (id, name, tag) VALUES (?, ?, ?) ON CONFLICT (id) DO NOTHING RETURNING 1',
      [id, name, tag ?? null],
    );
    if (created.length === 0)
      throw new ApiException(ErrorValue.IdTaken, `The id ${id} belongs to another plant.`);
    return tag === undefined ? { name } : { name, tag };
  }
}

import type { Resource } from '../resource/resource.js';
import { NewPlantDto } from './dto/new-plant.dto.js';
import { StoredPlantDto } from './dto/stored-plant.dto.js';
import { Plant } from './plant.entity.js';

/** What a plant is made of. */
export const PLANTS: Resource<Plant> = { entity: Plant, dto: StoredPlantDto, newDto: NewPlantDto };

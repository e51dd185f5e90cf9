import { Module } from '@nestjs/common';
import { batchOf } from '../features/batch/batch.controller.js';
import { changesOf } from '../features/changes/changes.controller.js';
import { SearchModule } from '../features/search/search.module.js';
import { transferOf } from '../features/transfer/transfer.controller.js';
import type { Resource } from '../kernel/resource/resource.js';
import { ResourceModule } from '../kernel/resource/resource.module.js';
import { CountPlantsQuery, ListPlantsQuery } from './dto/list-plants.query.js';
import { NewPlantDto, PlantDto, PlantPatchDto, StoredPlantDto } from './dto/plant.dto.js';
import { Plant } from './plant.entity.js';
import { PlantsController } from './plants.controller.js';
import { PlantsService } from './plants.service.js';

const PLANTS: Resource<Plant> = {
  entity: Plant,
  dto: StoredPlantDto,
  newDto: NewPlantDto,
  putDto: PlantDto,
  patchDto: PlantPatchDto,
  examples: [
    { id: 1, name: 'Monstera deliciosa', tag: 'houseplant' },
    { id: 2, name: 'Aloe vera' },
  ],
};

@Module({
  imports: [
    ResourceModule.forFeature(PLANTS),
    SearchModule.of(PLANTS, ['name', 'tag'], ListPlantsQuery, CountPlantsQuery),
  ],
  controllers: [batchOf(PLANTS), changesOf(PLANTS), transferOf(PLANTS), PlantsController],
  providers: [PlantsService],
})
export class PlantsModule {
  static readonly scopes = ['plants:read', 'plants:write'];
  static readonly tag = { name: 'plants', description: 'The plants of the store.' };
  static readonly resource = PLANTS;
}

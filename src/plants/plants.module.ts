import { Module } from '@nestjs/common';
import { ResourceModule } from '../resource/resource.module.js';
import { PLANTS } from './plants.resource.js';
import { PlantsController } from './plants.controller.js';
import { PlantsService } from './plants.service.js';

@Module({
  imports: [ResourceModule.forFeature(PLANTS)],
  controllers: [PlantsController],
  providers: [PlantsService],
})
export class PlantsModule {
  static readonly scopes = ['plants:read', 'plants:write'];
  static readonly tag = { name: 'plants', description: 'The plants of the store.' };
  static readonly resource = PLANTS;
}

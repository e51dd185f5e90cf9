import { Module } from '@nestjs/common';
import { batchOf } from '../../../src/features/batch/batch.controller.js';
import { changesOf } from '../../../src/features/changes/changes.controller.js';
import { transferOf } from '../../../src/features/transfer/transfer.controller.js';
import type { Resource } from '../../../src/kernel/resource/resource.js';
import { ResourceModule } from '../../../src/kernel/resource/resource.module.js';
import { GardenDto, NewGardenDto } from './garden.dto.js';
import { Garden } from './garden.entity.js';
import { GardensController } from './gardens.controller.js';
import { GardensService } from './gardens.service.js';

const GARDENS: Resource<Garden> = {
  entity: Garden,
  dto: GardenDto,
  newDto: GardenDto,
  putDto: NewGardenDto,
};

@Module({
  imports: [ResourceModule.forFeature(GARDENS)],
  controllers: [batchOf(GARDENS), changesOf(GARDENS), transferOf(GARDENS), GardensController],
  providers: [GardensService],
})
export class GardensModule {
  static readonly scopes = ['gardens:read', 'gardens:write'];
  static readonly tag = { name: 'gardens', description: 'Gardens, and the plants in them.' };
  static readonly resource = GARDENS;
}

import { Module } from '@nestjs/common';
import { batchOf } from '../../../src/features/batch/batch.controller.js';
import { changesOf } from '../../../src/features/changes/changes.controller.js';
import { transferOf } from '../../../src/features/transfer/transfer.controller.js';
import { ResourceModule } from '../../../src/kernel/resource/resource.module.js';
import { NewWateringDto, WateringDto, WateringPatchDto } from './watering.dto.js';
import { OldWaterings } from './old-waterings.job.js';
import { Watering } from './watering.entity.js';
import { WateringsController } from './waterings.controller.js';
import { WateringsService } from './waterings.service.js';

/** The entity of a watering and its DTOs. */
const WATERINGS = {
  entity: Watering,
  dto: WateringDto,
  newDto: NewWateringDto,
  patchDto: WateringPatchDto,
  // No path has the plant of a line.
  lineDto: WateringDto,
  assigned: ['id', 'plant'],
};

@Module({
  imports: [ResourceModule.forFeature(WATERINGS)],
  controllers: [batchOf(WATERINGS), changesOf(WATERINGS), transferOf(WATERINGS), WateringsController],
  providers: [WateringsService, OldWaterings],
})
export class WateringsModule {
  static readonly scopes = ['waterings:read', 'waterings:write'];
  static readonly tag = { name: 'waterings', description: 'When plants were watered.' };
  static readonly resource = WATERINGS;
}

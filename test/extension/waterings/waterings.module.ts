import { Module } from '@nestjs/common';
import { changesOf } from '../../../src/features/changes/changes.controller.js';
import { ResourceModule } from '../../../src/resource/resource.module.js';
import { NewWateringDto } from './dto/new-watering.dto.js';
import { WateringDto } from './dto/watering.dto.js';
import { OldWaterings } from './old-waterings.job.js';
import { Watering } from './watering.entity.js';
import { WateringsController } from './waterings.controller.js';
import { WateringsService } from './waterings.service.js';

/** The entity of a watering and its DTOs. */
const WATERINGS = {
  entity: Watering,
  dto: WateringDto,
  newDto: NewWateringDto,
  assigned: ['id', 'plant'],
};

@Module({
  imports: [ResourceModule.forFeature(WATERINGS)],
  controllers: [changesOf(WATERINGS), WateringsController],
  providers: [WateringsService, OldWaterings],
})
export class WateringsModule {
  static readonly scopes = ['waterings:read', 'waterings:write'];
  static readonly tag = { name: 'waterings', description: 'When plants were watered.' };
  static readonly resource = WATERINGS;
}

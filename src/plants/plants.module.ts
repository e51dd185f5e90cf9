import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuthModule } from '../auth/auth.module.js';
import { Plant } from './plant.entity.js';
import { PlantsController } from './plants.controller.js';
import { PlantsService } from './plants.service.js';
import { TransferController } from './transfer.controller.js';
import { TransferService } from './transfer.service.js';

@Module({
  imports: [AuthModule, TypeOrmModule.forFeature([Plant])],
  controllers: [TransferController, PlantsController],
  providers: [PlantsService, TransferService],
})
export class PlantsModule {}

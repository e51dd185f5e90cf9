import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Garden } from './garden.entity.js';
import { GardensController } from './gardens.controller.js';
import { GardensService } from './gardens.service.js';

@Module({
  imports: [TypeOrmModule.forFeature([Garden])],
  controllers: [GardensController],
  providers: [GardensService],
})
export class GardensModule {
  static readonly scopes = ['gardens:read', 'gardens:write'];
  static readonly tag = { name: 'gardens', description: 'Gardens, and the plants in them.' };
}

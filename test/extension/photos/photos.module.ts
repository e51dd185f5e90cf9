import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Photo, PhotoPart } from './photo.entity.js';
import { PhotosController } from './photos.controller.js';
import { PhotosService } from './photos.service.js';

@Module({
  imports: [TypeOrmModule.forFeature([Photo, PhotoPart])],
  controllers: [PhotosController],
  providers: [PhotosService],
})
export class PhotosModule {
  static readonly scopes = ['photos:read', 'photos:write'];
  static readonly tag = { name: 'photos', description: 'A photo of each plant.' };
}

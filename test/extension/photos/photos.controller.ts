import { Controller, Get, HttpStatus, Put, Res } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiProduces, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { RequireScope } from '../../../src/kernel/auth/access.decorators.js';
import { ErrorValue } from '../../../src/kernel/errors/error-value.js';
import { assertMediaType } from '../../../src/kernel/http/body/media-types.js';
import { streamBody } from '../../../src/kernel/http/body/read-body.js';
import { Endpoint } from '../../../src/kernel/openapi/endpoint.decorator.js';
import { Int64Id } from '../../../src/kernel/resource/resource.decorators.js';
import { unknownResource } from '../../../src/kernel/resource/resource-errors.js';
import { sendLines } from '../../../src/kernel/http/body/send-lines.js';
import { PhotosService } from './photos.service.js';

const TYPES = ['image/jpeg', 'image/png'];
const PHOTO = { schema: { type: 'string', format: 'binary' } } as const;
const ERRORS = [ErrorValue.InvalidParameter, unknownResource('plant', 1n)] as const;

@ApiTags('photos')
@Controller('plants/:id/photo')
export class PhotosController {
  constructor(private readonly photos: PhotosService) {}

  @Put()
  @RequireScope('photos:write')
  @ApiConsumes(...TYPES)
  @ApiBody(PHOTO)
  @Endpoint({
    id: 'putPhoto',
    summary: 'Store the photo of a plant',
    description: 'Stores it.',
    returns: { status: HttpStatus.NO_CONTENT, description: 'The photo is on disk.' },
    errors: [...ERRORS, ErrorValue.BodyTooLarge, ErrorValue.UnsupportedMediaType],
  })
  async put(@Int64Id() plant: bigint, @Res({ passthrough: true }) response: Response): Promise<void> {
    assertMediaType(response.req, TYPES);
    await this.photos.put(plant, response.req.get('Content-Type') ?? '', streamBody(response));
  }

  @Get()
  @RequireScope('photos:read')
  @ApiProduces(...TYPES)
  @Endpoint({
    id: 'getPhoto',
    summary: 'Read the photo of a plant',
    description: 'Returns it.',
    returns: { ...PHOTO, description: 'The photo.' },
    errors: ERRORS,
  })
  async get(@Int64Id() plant: bigint, @Res() response: Response): Promise<void> {
    const photo = await this.photos.find(plant);
    const headers = { 'Content-Type': photo.type, 'Content-Length': photo.size ?? 0 };
    await sendLines(response, this.photos.read(photo), headers);
  }
}

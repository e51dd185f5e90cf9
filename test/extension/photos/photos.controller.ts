import { Controller, Get, HttpCode, HttpStatus, Param, Put, Res } from '@nestjs/common';
import {
  ApiBody,
  ApiConsumes,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiProduces,
  ApiTags,
} from '@nestjs/swagger';
import type { Response } from 'express';
import { RequireScope } from '../../../src/auth/access.decorators.js';
import { ErrorValue } from '../../../src/errors/error-value.js';
import { assertMediaType } from '../../../src/http/body/media-types.js';
import { streamBody } from '../../../src/http/body/read-body.js';
import { ApiErrors } from '../../../src/openapi/api-errors.decorator.js';
import { Int64Pipe } from '../../../src/resource/key.pipes.js';
import { ApiInt64Id } from '../../../src/resource/resource.decorators.js';
import { unknownResource } from '../../../src/resource/resource-errors.js';
import { sendLines } from '../../../src/http/body/send-lines.js';
import { PhotosService } from './photos.service.js';

const TYPES = ['image/jpeg', 'image/png'];
const PHOTO = { schema: { type: 'string', format: 'binary' } } as const;
const ERRORS = [ErrorValue.InvalidParameter, unknownResource('plant', 1n)] as const;

@ApiTags('photos')
@Controller('plants/:id/photo')
export class PhotosController {
  constructor(private readonly photos: PhotosService) {}

  @Put()
  @HttpCode(HttpStatus.NO_CONTENT)
  @RequireScope('photos:write')
  @ApiOperation({ operationId: 'putPhoto', summary: 'Store the photo of a plant', description: 'Stores it.' })
  @ApiInt64Id()
  @ApiConsumes(...TYPES)
  @ApiBody(PHOTO)
  @ApiNoContentResponse({ description: 'The photo is on disk.' })
  @ApiErrors([...ERRORS, ErrorValue.BodyTooLarge, ErrorValue.UnsupportedMediaType])
  async put(
    @Param('id', Int64Pipe) plant: bigint,
    @Res({ passthrough: true }) { exchange }: Response,
  ): Promise<void> {
    assertMediaType(exchange.request, TYPES);
    await this.photos.put(plant, exchange.request.headers['content-type'] ?? '', streamBody(exchange));
  }

  @Get()
  @RequireScope('photos:read')
  @ApiOperation({ operationId: 'getPhoto', summary: 'Read the photo of a plant', description: 'Returns it.' })
  @ApiInt64Id()
  @ApiProduces(...TYPES)
  @ApiOkResponse({ ...PHOTO, description: 'The photo.' })
  @ApiErrors(ERRORS)
  async get(@Param('id', Int64Pipe) plant: bigint, @Res() { exchange }: Response): Promise<void> {
    const photo = await this.photos.find(plant);
    const headers = { 'Content-Type': photo.type, 'Content-Length': photo.size ?? 0 };
    await sendLines(exchange, this.photos.read(photo), headers);
  }
}

import { Body, Controller, Delete, Get, HttpStatus, Patch, Post, Query, Res } from '@nestjs/common';
import { ApiConsumes, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { RequireScope } from '../../../src/kernel/auth/access.decorators.js';
import { ErrorValue } from '../../../src/kernel/errors/error-value.js';
import { PATCH_TYPES } from '../../../src/kernel/http/body/media-types.js';
import { BODY_ERRORS } from '../../../src/kernel/openapi/api-errors.decorator.js';
import { Endpoint } from '../../../src/kernel/openapi/endpoint.decorator.js';
import { answerWrite, type Preconditions } from '../../../src/kernel/resource/conditional-requests.js';
import { PageQuery, setPageHeaders } from '../../../src/kernel/resource/page.js';
import { preconditionFailed, unknownResource } from '../../../src/kernel/resource/resource-errors.js';
import {
  Int64Id,
  PathKey,
  pageResponse,
  ReadPreconditions,
  resourceResponse,
} from '../../../src/kernel/resource/resource.decorators.js';
import type { Json } from '../../../src/kernel/http/body/exact-json.js';
import { TextPipe } from '../../../src/kernel/resource/key.pipes.js';
import { NewWateringDto, WateringDto, WateringPatchDto, WateringTotalDto } from './watering.dto.js';
import { WateringsService } from './waterings.service.js';

const PLANT_ERRORS = [ErrorValue.InvalidParameter, unknownResource('plant', 1n)] as const;

/** The id of a watering in a path. */
const WateringId = () =>
  PathKey('id', new TextPipe(36), {
    schema: { type: 'string', format: 'uuid' },
    example: '73ff3ef4-9e6d-4ce3-8b83-a3b16b8b0a4f',
  });

@ApiTags('waterings')
@Controller()
export class WateringsController {
  constructor(private readonly waterings: WateringsService) {}

  @Post('plants/:id/waterings')
  @RequireScope('waterings:write')
  @Endpoint({
    id: 'createWatering',
    summary: 'Store a watering of a plant',
    description: 'Adds a watering, whose id the service chooses. A plant has one watering at a moment.',
    returns: { status: HttpStatus.CREATED, type: WateringDto, description: 'The watering is on disk.' },
    errors: [...BODY_ERRORS, ...PLANT_ERRORS, ErrorValue.NotUnique],
  })
  create(@Int64Id() plant: bigint, @Body() newWatering: NewWateringDto): Promise<WateringDto> {
    return this.waterings.create(plant, newWatering);
  }

  @Get('plants/:id/waterings')
  @RequireScope('waterings:read')
  @Endpoint({
    id: 'listWaterings',
    summary: 'List the waterings of a plant',
    description: 'Returns a page of the waterings of a plant.',
    returns: pageResponse(WateringDto, 'The waterings of the plant, the newest first.'),
    errors: PLANT_ERRORS,
  })
  async list(
    @Int64Id() plant: bigint,
    @Query() query: PageQuery,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Json<WateringDto[]>> {
    const page = await this.waterings.list(plant, query);
    setPageHeaders(response, query, page);
    return page.items;
  }

  @Delete('plants/:id/waterings')
  @RequireScope('waterings:write')
  @Endpoint({
    id: 'deleteWaterings',
    summary: 'Delete the waterings of a plant',
    description: 'Deletes the waterings that a plant has, so that the plant can be deleted. May be repeated.',
    returns: { status: HttpStatus.NO_CONTENT, description: 'The waterings are deleted.' },
    errors: [ErrorValue.InvalidParameter],
  })
  clear(@Int64Id() plant: bigint): Promise<void> {
    return this.waterings.clear(plant);
  }

  @Get('waterings/totals')
  @RequireScope('waterings:read')
  @Endpoint({
    id: 'listWateringTotals',
    summary: 'List the plants that have had the most water',
    description: 'Adds up all waterings at one moment. Returns the ten plants that have had the most water.',
    returns: { type: [WateringTotalDto], description: 'The plant with the most water first.' },
  })
  totals(): Promise<WateringTotalDto[]> {
    return this.waterings.totals();
  }

  @Patch('waterings/:id')
  @RequireScope(['waterings:read', 'waterings:write'])
  @ApiConsumes(...PATCH_TYPES)
  @Endpoint({
    id: 'patchWatering',
    summary: 'Change some fields of a watering',
    description: 'Applies a merge patch (RFC 7396).',
    returns: resourceResponse(WateringDto, 'The watering as it is now.'),
    errors: [
      ...BODY_ERRORS,
      ErrorValue.InvalidParameter,
      unknownResource('watering', '7'),
      ErrorValue.NotUnique,
      preconditionFailed(),
    ],
  })
  async patch(
    @WateringId() id: string,
    @Body() patch: WateringPatchDto,
    @ReadPreconditions() preconditions: Preconditions,
    @Res({ passthrough: true }) response: Response,
  ): Promise<WateringDto | undefined> {
    return answerWrite(response, await this.waterings.patch(id, patch, preconditions));
  }
}

import { Body, Controller, Delete, Get, HttpStatus, Patch, Post, Put, Query, Res } from '@nestjs/common';
import { ApiConsumes, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { RequireScope } from '../kernel/auth/access.decorators.js';
import { ErrorValue } from '../kernel/errors/error-value.js';
import { PATCH_TYPES } from '../kernel/http/body/media-types.js';
import { BODY_ERRORS } from '../kernel/openapi/api-errors.decorator.js';
import { Endpoint } from '../kernel/openapi/endpoint.decorator.js';
import { answerRead, answerWrite, type Preconditions } from '../kernel/resource/conditional-requests.js';
import { CountDto, setPageHeaders } from '../kernel/resource/page.js';
import { idTaken, preconditionFailed, unknownResource } from '../kernel/resource/resource-errors.js';
import {
  ApiReadConditions,
  Int64Id,
  pageResponse,
  ReadPreconditions,
  ReadPutPreconditions,
  resourceResponse,
  sentResponse,
} from '../kernel/resource/resource.decorators.js';
import type { Json } from '../kernel/http/body/exact-json.js';
import { CountPlantsQuery, ListPlantsQuery } from './dto/list-plants.query.js';
import { NewPlantDto, PlantDto, PlantPatchDto, StoredPlantDto } from './dto/plant.dto.js';
import { PlantsService } from './plants.service.js';

const PLANT_ERRORS = [
  ErrorValue.InvalidParameter,
  unknownResource('plant', 1n),
  preconditionFailed(),
] as const;

@ApiTags('plants')
@Controller('plants')
export class PlantsController {
  constructor(private readonly plants: PlantsService) {}

  /** Every failure of a create is a 400 (specification, rule 2). */
  @Post()
  @RequireScope('plants:write')
  @Endpoint({
    id: 'createPlant',
    summary: 'Create a plant',
    description:
      'Creates a plant under an id that no other plant has, and returns it without the id. If the id is taken, the existing plant stays as it is.',
    returns: { type: PlantDto, description: 'The plant is created and on disk.' },
    errors: [...BODY_ERRORS, idTaken('plant', 1n)],
    failureStatus: HttpStatus.BAD_REQUEST,
  })
  create(@Body() newPlant: NewPlantDto): Promise<PlantDto> {
    return this.plants.create(newPlant);
  }

  @Get()
  @RequireScope('plants:read')
  @Endpoint({
    id: 'listPlants',
    summary: 'List plants',
    description:
      'Returns a page of the plants, with a `Link` to the next one; or the plants with the given `ids`. Changes nothing.',
    returns: pageResponse(
      StoredPlantDto,
      'The plants in ascending id; with a filter by the first 64 characters of their names, then by id; or as `sort` says.',
      { hasTotal: true },
    ),
    errors: [ErrorValue.InvalidParameter],
  })
  async list(
    @Query() query: ListPlantsQuery,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Json<StoredPlantDto[]> | StoredPlantDto[]> {
    const page = await this.plants.list(query);
    setPageHeaders(response, query, page);
    return page.items;
  }

  @Get('count')
  @RequireScope('plants:read')
  @Endpoint({
    id: 'countPlants',
    summary: 'Count plants',
    description:
      'Counts the plants at one moment of the request. The time that this takes grows with their number. Changes nothing.',
    returns: { type: CountDto, description: 'How many plants there are, or how many match the filters.' },
    errors: [ErrorValue.InvalidParameter],
  })
  async count(@Query() query: CountPlantsQuery): Promise<CountDto> {
    return { count: await this.plants.count(query) };
  }

  @Get(':id')
  @RequireScope('plants:read')
  @ApiReadConditions()
  @Endpoint({
    id: 'getPlant',
    summary: 'Read a plant',
    description: 'Returns a plant and its entity tag. Changes nothing.',
    returns: resourceResponse(StoredPlantDto, 'The plant.'),
    errors: PLANT_ERRORS,
  })
  async find(
    @Int64Id() id: bigint,
    @Res({ passthrough: true }) response: Response,
  ): Promise<StoredPlantDto | undefined> {
    return answerRead(response, await this.plants.find(id));
  }

  @Put(':id')
  @RequireScope('plants:write')
  @Endpoint({
    id: 'putPlant',
    summary: 'Create or replace a plant',
    description:
      'Stores the body as the plant with this id: creates it, or replaces the existing plant as a whole. May be repeated.',
    returns: [
      sentResponse(StoredPlantDto, 'The plant is replaced, and that is on disk.'),
      sentResponse(StoredPlantDto, 'The plant is created and on disk.', HttpStatus.CREATED),
    ],
    errors: [...BODY_ERRORS, ErrorValue.InvalidParameter, preconditionFailed()],
  })
  async put(
    @Int64Id() id: bigint,
    @Body() plant: PlantDto,
    @ReadPutPreconditions() preconditions: Preconditions,
    @Res({ passthrough: true }) response: Response,
  ): Promise<StoredPlantDto> {
    const { representation, isNew } = await this.plants.put(id, plant, preconditions);
    if (isNew) response.status(HttpStatus.CREATED);
    return answerWrite(response, representation);
  }

  /** Requires `plants:read` too, because it also returns the fields that it leaves alone. */
  @Patch(':id')
  @RequireScope(['plants:read', 'plants:write'])
  @ApiConsumes(...PATCH_TYPES)
  @Endpoint({
    id: 'patchPlant',
    summary: 'Change some fields of a plant',
    description: 'Applies a merge patch (RFC 7396): what is absent stays, and a `tag` of `null` is removed.',
    returns: resourceResponse(StoredPlantDto, 'The changed plant, which is on disk.'),
    errors: [...BODY_ERRORS, ...PLANT_ERRORS],
  })
  async patch(
    @Int64Id() id: bigint,
    @Body() patch: PlantPatchDto,
    @ReadPreconditions() preconditions: Preconditions,
    @Res({ passthrough: true }) response: Response,
  ): Promise<StoredPlantDto> {
    return answerWrite(response, await this.plants.patch(id, patch, preconditions));
  }

  @Delete(':id')
  @RequireScope('plants:write')
  @Endpoint({
    id: 'deletePlant',
    summary: 'Delete a plant',
    description: 'Deletes a plant. Its id is free from then on.',
    returns: { status: HttpStatus.NO_CONTENT, description: 'The plant is deleted, and that is on disk.' },
    errors: PLANT_ERRORS,
  })
  remove(@Int64Id() id: bigint, @ReadPreconditions() preconditions: Preconditions): Promise<void> {
    return this.plants.remove(id, preconditions);
  }
}

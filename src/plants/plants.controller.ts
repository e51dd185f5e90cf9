import {
  Body,
  Controller,
  Delete,
  Get,
  HttpCode,
  HttpStatus,
  Param,
  Patch,
  Post,
  Put,
  Query,
  Res,
  UseInterceptors,
} from '@nestjs/common';
import { ApiConsumes, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { RequireScope } from '../auth/require-scope.decorator.js';
import { ErrorValue } from '../errors/error-value.js';
import { FailWith } from '../errors/fail-with.decorator.js';
import { PATCH_TYPES } from '../http/media-types.js';
import { type Preconditions, ReadPreconditions } from '../http/preconditions.js';
import { ApiErrors, BODY_ERRORS, STORE_ERRORS } from '../openapi/api-errors.decorator.js';
import {
  ApiCreateCondition,
  ApiListResponse,
  ApiPlantId,
  ApiPlantResponse,
  ApiReadConditions,
  ApiSentPlantResponse,
  ApiWriteCondition,
} from './api-plant.decorators.js';
import { ListPlantsQuery } from './dto/list-plants.query.js';
import { NewPlantDto } from './dto/new-plant.dto.js';
import { PlantPatchDto } from './dto/plant-patch.dto.js';
import { PlantDto } from './dto/plant.dto.js';
import { StoredPlantDto } from './dto/stored-plant.dto.js';
import { EntityTagInterceptor } from './entity-tag.interceptor.js';
import { nextPage } from './next-page.js';
import { PlantIdPipe } from './plant-id.pipe.js';
import { PlantsService } from './plants.service.js';

/** What an operation on one plant answers besides, when that is not there or not as the client wants it. */
const PLANT_ERRORS = [
  ErrorValue.InvalidParameter,
  ErrorValue.UnknownPlant,
  ErrorValue.PreconditionFailed,
] as const;

@ApiTags('plants')
@Controller('plants')
export class PlantsController {
  constructor(private readonly plants: PlantsService) {}

  /** Creates a plant; every failure of its own is a 400 (specification, rule 2). */
  @Post()
  @HttpCode(HttpStatus.OK)
  @FailWith(HttpStatus.BAD_REQUEST)
  @RequireScope('plants:write')
  @ApiOperation({ operationId: 'createPlant', summary: 'Create a plant' })
  @ApiOkResponse({ type: PlantDto, description: 'The plant is created and on disk.' })
  @ApiErrors([...BODY_ERRORS, ErrorValue.IdTaken, ...STORE_ERRORS], HttpStatus.BAD_REQUEST)
  create(@Body() newPlant: NewPlantDto): Promise<PlantDto> {
    return this.plants.create(newPlant);
  }

  /** Lists plants in ascending id, a page at a time. */
  @Get()
  @RequireScope('plants:read')
  @ApiOperation({ operationId: 'listPlants', summary: 'List plants' })
  @ApiListResponse(
    'The plants in ascending id. A page may end before its limit; `Link` tells whether there are more.',
  )
  @ApiErrors([ErrorValue.InvalidParameter, ...STORE_ERRORS])
  async list(
    @Query() query: ListPlantsQuery,
    @Res({ passthrough: true }) response: Response,
  ): Promise<StoredPlantDto[]> {
    const { plants, next } = await this.plants.list(query);
    if (next !== undefined) response.setHeader('Link', nextPage(query, next));
    return plants;
  }

  /** Reads a plant. */
  @Get(':id')
  @RequireScope('plants:read')
  @UseInterceptors(EntityTagInterceptor)
  @ApiOperation({ operationId: 'getPlant', summary: 'Read a plant' })
  @ApiPlantId()
  @ApiReadConditions()
  @ApiPlantResponse(HttpStatus.OK, 'The plant.')
  @ApiErrors([...PLANT_ERRORS, ...STORE_ERRORS])
  find(@Param('id', PlantIdPipe) id: bigint): Promise<StoredPlantDto> {
    return this.plants.find(id);
  }

  /** Creates or replaces a plant: unlike a create it may be repeated. */
  @Put(':id')
  @RequireScope('plants:write')
  @UseInterceptors(EntityTagInterceptor)
  @ApiOperation({ operationId: 'putPlant', summary: 'Create or replace a plant' })
  @ApiPlantId()
  @ApiWriteCondition()
  @ApiCreateCondition()
  @ApiSentPlantResponse(HttpStatus.OK, 'The plant is replaced, and that is on disk.')
  @ApiSentPlantResponse(HttpStatus.CREATED, 'The plant is created and on disk.')
  @ApiErrors([...BODY_ERRORS, ErrorValue.InvalidParameter, ErrorValue.PreconditionFailed, ...STORE_ERRORS])
  async put(
    @Param('id', PlantIdPipe) id: bigint,
    @Body() content: PlantDto,
    @ReadPreconditions() preconditions: Preconditions,
    @Res({ passthrough: true }) response: Response,
  ): Promise<StoredPlantDto> {
    const { plant, isNew } = await this.plants.put(id, content, preconditions);
    if (isNew) response.status(HttpStatus.CREATED);
    return plant;
  }

  /** Changes some members of a plant by a merge patch (RFC 7396). It answers those that it leaves as they are, which is a read. */
  @Patch(':id')
  @RequireScope(['plants:read', 'plants:write'])
  @UseInterceptors(EntityTagInterceptor)
  @ApiOperation({ operationId: 'patchPlant', summary: 'Change some members of a plant' })
  @ApiPlantId()
  @ApiWriteCondition()
  @ApiConsumes(...PATCH_TYPES)
  @ApiPlantResponse(HttpStatus.OK, 'The plant as it is now, which is on disk.')
  @ApiErrors([...BODY_ERRORS, ...PLANT_ERRORS, ...STORE_ERRORS])
  patch(
    @Param('id', PlantIdPipe) id: bigint,
    @Body() patch: PlantPatchDto,
    @ReadPreconditions() preconditions: Preconditions,
  ): Promise<StoredPlantDto> {
    return this.plants.patch(id, patch, preconditions);
  }

  /** Deletes a plant. */
  @Delete(':id')
  @HttpCode(HttpStatus.NO_CONTENT)
  @RequireScope('plants:write')
  @ApiOperation({ operationId: 'deletePlant', summary: 'Delete a plant' })
  @ApiPlantId()
  @ApiWriteCondition()
  @ApiNoContentResponse({ description: 'The plant is deleted, and that is on disk.' })
  @ApiErrors([...PLANT_ERRORS, ...STORE_ERRORS])
  remove(
    @Param('id', PlantIdPipe) id: bigint,
    @ReadPreconditions() preconditions: Preconditions,
  ): Promise<void> {
    return this.plants.remove(id, preconditions);
  }
}

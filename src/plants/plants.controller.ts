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
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { RequireScope } from '../auth/require-scope.decorator.js';
import { FailWith } from '../errors/fail-with.decorator.js';
import { type Preconditions, ReadPreconditions } from '../http/preconditions.js';
import { ApiErrors } from '../openapi/api-errors.decorator.js';
import { ListPlantsQuery } from './dto/list-plants.query.js';
import { NewPlantDto } from './dto/new-plant.dto.js';
import { PlantPatchDto } from './dto/plant-patch.dto.js';
import { PlantDto } from './dto/plant.dto.js';
import { StoredPlantDto } from './dto/stored-plant.dto.js';
import { EntityTagInterceptor } from './entity-tag.interceptor.js';
import { nextPage } from './next-page.js';
import { PlantIdPipe } from './plant-id.pipe.js';
import { PlantsService } from './plants.service.js';

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
  @ApiErrors(400, 401, 403, 413, 415, 503)
  create(@Body() newPlant: NewPlantDto): Promise<PlantDto> {
    return this.plants.create(newPlant);
  }

  @Get()
  @RequireScope('plants:read')
  @ApiOperation({ operationId: 'listPlants', summary: 'List plants in ascending id' })
  async list(
    @Query() query: ListPlantsQuery,
    @Res({ passthrough: true }) response: Response,
  ): Promise<StoredPlantDto[]> {
    const page = await this.plants.list(query);
    if (page.hasMore) response.setHeader('Link', nextPage(query, page));
    return page.plants;
  }

  @Get(':id')
  @RequireScope('plants:read')
  @UseInterceptors(EntityTagInterceptor)
  @ApiOperation({ operationId: 'getPlant', summary: 'Read a plant' })
  find(@Param('id', PlantIdPipe) id: bigint): Promise<StoredPlantDto> {
    return this.plants.find(id);
  }

  /** Creates or replaces: unlike a create it may be repeated. */
  @Put(':id')
  @RequireScope('plants:write')
  @UseInterceptors(EntityTagInterceptor)
  @ApiOperation({ operationId: 'putPlant', summary: 'Create or replace a plant' })
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

  @Patch(':id')
  @RequireScope('plants:write')
  @UseInterceptors(EntityTagInterceptor)
  @ApiOperation({ operationId: 'patchPlant', summary: 'Change some members of a plant' })
  patch(
    @Param('id', PlantIdPipe) id: bigint,
    @Body() patch: PlantPatchDto,
    @ReadPreconditions() preconditions: Preconditions,
  ): Promise<StoredPlantDto> {
    return this.plants.patch(id, patch, preconditions);
  }

  @Delete(':id')
  @HttpCode(HttpStatus.NO_CONTENT)
  @RequireScope('plants:write')
  @ApiOperation({ operationId: 'deletePlant', summary: 'Delete a plant' })
  remove(
    @Param('id', PlantIdPipe) id: bigint,
    @ReadPreconditions() preconditions: Preconditions,
  ): Promise<void> {
    return this.plants.remove(id, preconditions);
  }
}

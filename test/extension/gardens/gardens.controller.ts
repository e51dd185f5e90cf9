import {
  Body,
  Controller,
  Delete,
  Get,
  HttpCode,
  HttpStatus,
  Param,
  Post,
  Put,
  Query,
  Res,
} from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { RequireScope } from '../../../src/auth/access.decorators.js';
import { ErrorValue } from '../../../src/errors/error-value.js';
import { ApiErrors, BODY_ERRORS } from '../../../src/openapi/api-errors.decorator.js';
import { StoredPlantDto } from '../../../src/plants/dto/plant.dto.js';
import { answerRead, answerWrite } from '../../../src/resource/conditional-requests.js';
import { Int64Pipe } from '../../../src/resource/key.pipes.js';
import { PageQuery, setPageHeaders } from '../../../src/resource/page.js';
import { type Representation, withoutNulls } from '../../../src/resource/resource.js';
import { unknownResource } from '../../../src/resource/resource-errors.js';
import { ApiInt64Id, ApiPage, ApiResource } from '../../../src/resource/resource.decorators.js';
import { TextPipe } from '../../../src/resource/key.pipes.js';
import { STORABLE_TEXT } from '../../../src/validation/decorators.js';
import { GardenDto, GardenToMergeDto, NewGardenDto } from './dto/garden.dto.js';
import type { Garden } from './garden.entity.js';
import { GardensService } from './gardens.service.js';

const GARDEN_ERRORS = [ErrorValue.InvalidParameter, unknownResource('garden', 'Kew', 'name')] as const;

/** The name of a garden in a path. */
const Name = () => Param('name', new TextPipe(64));
const NAME = { type: 'string', maxLength: 64, pattern: STORABLE_TEXT } as const;
const ApiName = () => ApiParam({ name: 'name', schema: NAME, example: 'Kew' });

@ApiTags('gardens')
@Controller('gardens')
export class GardensController {
  constructor(private readonly gardens: GardensService) {}

  @Get(':name')
  @RequireScope('gardens:read')
  @ApiOperation({ operationId: 'getGarden', summary: 'Read a garden', description: 'Returns a garden.' })
  @ApiName()
  @ApiResource(GardenDto, HttpStatus.OK, 'The garden.')
  @ApiErrors(GARDEN_ERRORS)
  async find(
    @Name() name: string,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Representation<Garden> | undefined> {
    return answerRead(response, withoutNulls(await this.gardens.find(name)));
  }

  @Put(':name')
  @RequireScope('gardens:write')
  @ApiOperation({
    operationId: 'putGarden',
    summary: 'Create or replace a garden',
    description: 'Stores the body as the garden with this name. Its plants stay.',
  })
  @ApiName()
  @ApiOkResponse({ type: GardenDto, description: 'The garden is on disk.' })
  @ApiErrors([...BODY_ERRORS, ErrorValue.InvalidParameter])
  async put(
    @Name() name: string,
    @Body() { note }: NewGardenDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Representation<Garden>> {
    return answerWrite(response, withoutNulls(await this.gardens.put(name, note)));
  }

  @Delete(':name')
  @HttpCode(HttpStatus.NO_CONTENT)
  @RequireScope('gardens:write')
  @ApiOperation({ operationId: 'deleteGarden', summary: 'Delete a garden', description: 'Its plants stay.' })
  @ApiName()
  @ApiNoContentResponse({ description: 'The garden is deleted.' })
  @ApiErrors(GARDEN_ERRORS)
  remove(@Name() name: string): Promise<void> {
    return this.gardens.remove(name);
  }

  @Get(':name/plants')
  @RequireScope(['gardens:read', 'plants:read'])
  @ApiOperation({
    operationId: 'listPlantsOfGarden',
    summary: 'List the plants of a garden',
    description: 'Returns a page of the plants in a garden.',
  })
  @ApiName()
  @ApiPage(StoredPlantDto, 'The plants in ascending id.')
  @ApiErrors(GARDEN_ERRORS)
  async listPlants(
    @Name() name: string,
    @Query() query: PageQuery,
    @Res({ passthrough: true }) response: Response,
  ): Promise<StoredPlantDto[]> {
    const page = await this.gardens.listPlants(name, query);
    setPageHeaders(response, query, page);
    return page.items.map(withoutNulls);
  }

  @Put(':name/plants/:id')
  @HttpCode(HttpStatus.NO_CONTENT)
  @RequireScope('gardens:write')
  @ApiOperation({
    operationId: 'addPlantToGarden',
    summary: 'Add a plant to a garden',
    description: 'May be repeated.',
  })
  @ApiName()
  @ApiInt64Id()
  @ApiNoContentResponse({ description: 'The plant is in the garden.' })
  @ApiErrors(GARDEN_ERRORS)
  addPlant(@Name() name: string, @Param('id', Int64Pipe) id: bigint): Promise<void> {
    return this.gardens.addPlant(name, id);
  }

  @Delete(':name/plants/:id')
  @HttpCode(HttpStatus.NO_CONTENT)
  @RequireScope('gardens:write')
  @ApiOperation({
    operationId: 'removePlantFromGarden',
    summary: 'Remove a plant from a garden',
    description: 'The plant stays. May be repeated.',
  })
  @ApiName()
  @ApiInt64Id()
  @ApiNoContentResponse({ description: 'The plant is not in the garden.' })
  @ApiErrors([ErrorValue.InvalidParameter])
  removePlant(@Name() name: string, @Param('id', Int64Pipe) id: bigint): Promise<void> {
    return this.gardens.removePlant(name, id);
  }

  @Post(':name/merge')
  @HttpCode(HttpStatus.OK)
  @RequireScope('gardens:write')
  @ApiOperation({
    operationId: 'mergeGarden',
    summary: 'Merge another garden into a garden',
    description: 'Moves the plants of the other garden, and deletes that.',
  })
  @ApiName()
  @ApiOkResponse({ type: GardenDto, description: 'The gardens are merged.' })
  @ApiErrors([...BODY_ERRORS, ...GARDEN_ERRORS])
  async merge(@Name() name: string, @Body() other: GardenToMergeDto): Promise<Representation<Garden>> {
    return withoutNulls(await this.gardens.merge(name, other.name));
  }
}

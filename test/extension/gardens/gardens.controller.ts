import { Body, Controller, Delete, Get, HttpStatus, Post, Put, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { RequireScope } from '../../../src/kernel/auth/access.decorators.js';
import { ErrorValue } from '../../../src/kernel/errors/error-value.js';
import { BODY_ERRORS } from '../../../src/kernel/openapi/api-errors.decorator.js';
import { Endpoint } from '../../../src/kernel/openapi/endpoint.decorator.js';
import { StoredPlantDto } from '../../../src/plants/dto/plant.dto.js';
import { answerRead, answerWrite } from '../../../src/kernel/resource/conditional-requests.js';
import { PageQuery, setPageHeaders } from '../../../src/kernel/resource/page.js';
import { type Representation, withoutNulls } from '../../../src/kernel/resource/resource.js';
import { unknownResource } from '../../../src/kernel/resource/resource-errors.js';
import {
  Int64Id,
  PathKey,
  pageResponse,
  resourceResponse,
} from '../../../src/kernel/resource/resource.decorators.js';
import { TextPipe } from '../../../src/kernel/resource/key.pipes.js';
import { STORABLE_TEXT } from '../../../src/kernel/validation/decorators.js';
import { GardenDto, GardenToMergeDto, NewGardenDto } from './garden.dto.js';
import type { Garden } from './garden.entity.js';
import { GardensService } from './gardens.service.js';

const GARDEN_ERRORS = [ErrorValue.InvalidParameter, unknownResource('garden', 'Kew', 'name')] as const;

const NAME = { type: 'string', maxLength: 64, pattern: STORABLE_TEXT } as const;

/** The name of a garden in a path. */
const Name = () => PathKey('name', new TextPipe(64), { schema: NAME, example: 'Kew' });

@ApiTags('gardens')
@Controller('gardens')
export class GardensController {
  constructor(private readonly gardens: GardensService) {}

  @Get(':name')
  @RequireScope('gardens:read')
  @Endpoint({
    id: 'getGarden',
    summary: 'Read a garden',
    description: 'Returns a garden.',
    returns: resourceResponse(GardenDto, 'The garden.'),
    errors: GARDEN_ERRORS,
  })
  async find(
    @Name() name: string,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Representation<Garden> | undefined> {
    return answerRead(response, withoutNulls(await this.gardens.find(name)));
  }

  @Put(':name')
  @RequireScope('gardens:write')
  @Endpoint({
    id: 'putGarden',
    summary: 'Create or replace a garden',
    description: 'Stores the body as the garden with this name. Its plants stay.',
    returns: { type: GardenDto, description: 'The garden is on disk.' },
    errors: [...BODY_ERRORS, ErrorValue.InvalidParameter],
  })
  async put(
    @Name() name: string,
    @Body() { note }: NewGardenDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Representation<Garden> | undefined> {
    return answerWrite(response, withoutNulls(await this.gardens.put(name, note)));
  }

  @Delete(':name')
  @RequireScope('gardens:write')
  @Endpoint({
    id: 'deleteGarden',
    summary: 'Delete a garden',
    description: 'Its plants stay.',
    returns: { status: HttpStatus.NO_CONTENT, description: 'The garden is deleted.' },
    errors: GARDEN_ERRORS,
  })
  remove(@Name() name: string): Promise<void> {
    return this.gardens.remove(name);
  }

  @Get(':name/plants')
  @RequireScope(['gardens:read', 'plants:read'])
  @Endpoint({
    id: 'listPlantsOfGarden',
    summary: 'List the plants of a garden',
    description: 'Returns a page of the plants in a garden.',
    returns: pageResponse(StoredPlantDto, 'The plants in ascending id.'),
    errors: GARDEN_ERRORS,
  })
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
  @RequireScope('gardens:write')
  @Endpoint({
    id: 'addPlantToGarden',
    summary: 'Add a plant to a garden',
    description: 'May be repeated.',
    returns: { status: HttpStatus.NO_CONTENT, description: 'The plant is in the garden.' },
    errors: GARDEN_ERRORS,
  })
  addPlant(@Name() name: string, @Int64Id() id: bigint): Promise<void> {
    return this.gardens.addPlant(name, id);
  }

  @Delete(':name/plants/:id')
  @RequireScope('gardens:write')
  @Endpoint({
    id: 'removePlantFromGarden',
    summary: 'Remove a plant from a garden',
    description: 'The plant stays. May be repeated.',
    returns: { status: HttpStatus.NO_CONTENT, description: 'The plant is not in the garden.' },
    errors: [ErrorValue.InvalidParameter],
  })
  removePlant(@Name() name: string, @Int64Id() id: bigint): Promise<void> {
    return this.gardens.removePlant(name, id);
  }

  @Post(':name/merge')
  @RequireScope('gardens:write')
  @Endpoint({
    id: 'mergeGarden',
    summary: 'Merge another garden into a garden',
    description: 'Moves the plants of the other garden, and deletes that.',
    returns: { type: GardenDto, description: 'The gardens are merged.' },
    errors: [...BODY_ERRORS, ...GARDEN_ERRORS],
  })
  async merge(@Name() name: string, @Body() other: GardenToMergeDto): Promise<Representation<Garden>> {
    return withoutNulls(await this.gardens.merge(name, other.name));
  }
}

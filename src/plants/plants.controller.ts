import { Body, Controller, HttpCode, HttpStatus, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { RequireScope } from '../auth/require-scope.decorator.js';
import { ApiErrors } from '../openapi/api-errors.decorator.js';
import { FailWith } from '../errors/fail-with.decorator.js';
import { NewPlantDto } from './dto/new-plant.dto.js';
import { PlantDto } from './dto/plant.dto.js';
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
}

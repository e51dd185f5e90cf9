import { ApiExtraModels, ApiProperty, ApiPropertyOptional, ApiSchema, PickType } from '@nestjs/swagger';
import { IsIn, IsObject } from 'class-validator';
import { IsIfMatch, IsOperations, type OperationDtos } from '../../features/batch/batch.js';
import { MayBeAbsent } from '../../validation/decorators.js';
import { NewPlantDto, PlantDto, PlantPatchDto, StoredPlantDto } from './plant.dto.js';

@ApiSchema({ name: 'CreatePlant', description: 'As `POST /plants`.' })
class CreatePlantDto {
  @ApiProperty({ enum: ['create'] })
  @IsIn(['create'])
  readonly kind: string;

  @ApiProperty()
  @IsObject()
  readonly body: NewPlantDto;
}

class PlantOperationDto extends PickType(NewPlantDto, ['id']) {
  @IsIfMatch()
  readonly ifMatch?: string;
}

@ApiSchema({ name: 'PutPlant', description: 'As `PUT /plants/{id}`.' })
class PutPlantDto extends PlantOperationDto {
  @ApiProperty({ enum: ['put'] })
  @IsIn(['put'])
  readonly kind: string;

  @ApiProperty()
  @IsObject()
  readonly body: PlantDto;

  @ApiPropertyOptional({ enum: ['*'], description: 'As the header `If-None-Match`.' })
  @MayBeAbsent()
  @IsIn(['*'])
  readonly ifNoneMatch?: string;
}

@ApiSchema({ name: 'PatchPlant', description: 'As `PATCH /plants/{id}`.' })
class PatchPlantDto extends PlantOperationDto {
  @ApiProperty({ enum: ['patch'] })
  @IsIn(['patch'])
  readonly kind: string;

  @ApiProperty()
  @IsObject()
  readonly body: PlantPatchDto;
}

@ApiSchema({ name: 'DeletePlant', description: 'As `DELETE /plants/{id}`.' })
class DeletePlantDto extends PlantOperationDto {
  @ApiProperty({ enum: ['delete'] })
  @IsIn(['delete'])
  readonly kind: string;
}

export const PLANT_OPERATIONS: OperationDtos = {
  create: CreatePlantDto,
  put: PutPlantDto,
  patch: PatchPlantDto,
  delete: DeletePlantDto,
};

@ApiSchema({ name: 'PlantBatch', description: 'Operations that happen all or not at all.' })
@ApiExtraModels(...Object.values(PLANT_OPERATIONS))
export class PlantBatchDto {
  @ApiProperty({
    description:
      'Each sees what those before it have done. Members that its `kind` does not have are refused.',
    example: [
      { kind: 'create', body: { id: 3, name: 'Ficus lyrata' } },
      { kind: 'patch', id: 3, body: { tag: 'houseplant' } },
      { kind: 'delete', id: 1, ifMatch: '*' },
    ],
  })
  @IsOperations(PLANT_OPERATIONS)
  readonly operations: readonly object[];
}

@ApiSchema({ name: 'PlantResult', description: 'The result of one operation of a batch.' })
class PlantResultDto {
  @ApiProperty({
    type: 'integer',
    format: 'int32',
    description: 'The HTTP status that the operation would have alone.',
    example: 200,
  })
  readonly status: number;

  @ApiPropertyOptional({ description: 'The plant; absent when it is deleted.' })
  readonly body?: StoredPlantDto;

  @ApiPropertyOptional({
    description: 'The entity tag of the plant; absent when it is deleted.',
    example: '"0"',
  })
  readonly etag?: string;
}

@ApiSchema({ name: 'PlantBatchResult', description: 'The results of a batch.' })
export class PlantBatchResultDto {
  @ApiProperty({ type: [PlantResultDto], description: 'One for each operation, in the same order.' })
  readonly results: PlantResultDto[];
}

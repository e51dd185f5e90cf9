import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { IsInt64 } from '../../validation/decorators.js';
import { PlantDto } from './plant.dto.js';

/** A plant to create: a Plant and the id that the client chose for it (specification, NewPlant). */
@ApiSchema({ name: 'NewPlant', description: 'A plant to create. Members that are not listed are ignored.' })
export class NewPlantDto extends PlantDto {
  @ApiProperty({
    type: 'integer',
    format: 'int64',
    description: 'Identification number of the plant, unique in the store. Any int64, written as an integer.',
    example: 1,
  })
  @IsInt64()
  id: bigint;
}

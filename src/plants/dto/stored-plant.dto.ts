import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { PlantDto } from './plant.dto.js';

/** A plant as it is stored: with its id. */
@ApiSchema({ name: 'StoredPlant', description: 'A plant of the store, with its id.' })
export class StoredPlantDto extends PlantDto {
  @ApiProperty({
    type: 'integer',
    format: 'int64',
    description: 'Identification number of the plant.',
    example: 1,
  })
  readonly id: bigint;
}

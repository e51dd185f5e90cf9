import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { IsUUID } from 'class-validator';
import { IsInt64 } from '../../../../src/kernel/validation/decorators.js';
import { NewWateringDto } from './new-watering.dto.js';

/** A watering as it is stored. */
@ApiSchema({ name: 'Watering', description: 'A watering of a plant.' })
export class WateringDto extends NewWateringDto {
  @ApiProperty({
    format: 'uuid',
    description: 'The id, which the service chooses.',
    example: '73ff3ef4-9e6d-4ce3-8b83-a3b16b8b0a4f',
  })
  @IsUUID()
  id: string;

  @ApiProperty({ type: 'integer', format: 'int64', description: 'The id of the plant.', example: 1 })
  @IsInt64()
  plant: bigint;
}

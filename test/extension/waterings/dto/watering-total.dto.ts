import { ApiProperty, ApiSchema } from '@nestjs/swagger';

/** The waterings of a plant together. */
@ApiSchema({ name: 'WateringTotal', description: 'The waterings of a plant together.' })
export class WateringTotalDto {
  @ApiProperty({ type: 'integer', format: 'int64', description: 'The id of the plant.', example: 1 })
  plant: number | bigint;

  @ApiProperty({
    type: 'integer',
    format: 'int64',
    description: 'How many times it was watered.',
    example: 3,
  })
  times: number;

  @ApiProperty({ description: 'How much water it has had, in litres.', example: 1.5 })
  total: number;
}

import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { IsIn, Max, Min } from 'class-validator';
import { IsTimestamp, MayBeAbsent } from '../../../../src/kernel/validation/decorators.js';
import { METHODS } from '../watering.entity.js';

/** What a client says of a watering. */
@ApiSchema({ name: 'NewWatering', description: 'A watering to store. Unknown fields are ignored.' })
export class NewWateringDto {
  @ApiProperty({ description: 'When the plant got water.', example: '2026-03-01T08:30:00Z' })
  @IsTimestamp()
  at: Date;

  @ApiProperty({ minimum: 0.001, maximum: 1000, description: 'How much water it got.', example: 0.5 })
  @Min(0.001)
  @Max(1000)
  litres: number;

  @ApiPropertyOptional({ enum: METHODS, default: 'can', description: 'How it got the water.' })
  @IsIn(METHODS)
  method: (typeof METHODS)[number] = 'can';

  @ApiPropertyOptional({
    minimum: 0,
    maximum: 100,
    description: 'The temperature of the water.',
    example: 20,
  })
  @MayBeAbsent()
  @Min(0)
  @Max(100)
  celsius?: number;
}

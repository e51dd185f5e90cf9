import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { IsIn, IsUUID, Max, Min } from 'class-validator';
import { MergePatchType } from '../../../src/kernel/resource/merge-patch.js';
import { IsInt64, IsTimestamp, MayBeAbsent } from '../../../src/kernel/validation/decorators.js';
import { METHODS } from './watering.entity.js';

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

/** A merge patch of a watering (RFC 7396). */
@ApiSchema({ name: 'WateringPatch', description: 'Changes of a watering.' })
export class WateringPatchDto extends MergePatchType(NewWateringDto) {}

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

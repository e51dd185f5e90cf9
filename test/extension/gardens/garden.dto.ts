import { ApiProperty, ApiPropertyOptional, ApiSchema, PickType } from '@nestjs/swagger';
import { IsStorableText, MayBeAbsent } from '../../../src/kernel/validation/decorators.js';

/** A garden. */
@ApiSchema({ name: 'Garden', description: 'A garden.' })
export class GardenDto {
  @ApiProperty({ description: 'The name of the garden.', example: 'Kew' })
  @IsStorableText(64)
  name: string;

  @ApiPropertyOptional({ minLength: 1, description: 'A note.' })
  @MayBeAbsent()
  @IsStorableText(1000)
  note?: string;
}

/** The fields of a garden beside its name, which is in the path. */
@ApiSchema({ name: 'NewGarden', description: 'A garden to store.' })
export class NewGardenDto extends PickType(GardenDto, ['note']) {}

/** The garden whose plants another one takes over. */
@ApiSchema({ name: 'GardenToMerge', description: 'The garden to merge.' })
export class GardenToMergeDto extends PickType(GardenDto, ['name']) {}

import { ApiPropertyOptional, PickType } from '@nestjs/swagger';
import { PageQuery } from '../../resource/page.js';
import { IsStorableText, MayBeAbsent } from '../../validation/decorators.js';

/** Characters of a name and of a tag that the indexes hold (migration OrderPlants). */
export const INDEXED = 64;

export class ListPlantsQuery extends PageQuery {
  @ApiPropertyOptional({
    description: 'Only plants with exactly this tag.',
    example: 'houseplant',
  })
  @MayBeAbsent()
  @IsStorableText(INDEXED - 1)
  tag?: string;

  @ApiPropertyOptional({
    description: 'Only plants whose name begins like this.',
    example: 'Mon',
  })
  @MayBeAbsent()
  @IsStorableText(INDEXED)
  name?: string;

  // The place of a plant in a list with filters.
  @ApiPropertyOptional({ example: 'Monstera,7', pattern: '^([^,]*,)?-?[0-9]{1,19}$' })
  override after?: string;
}

export class CountPlantsQuery extends PickType(ListPlantsQuery, ['tag', 'name']) {}

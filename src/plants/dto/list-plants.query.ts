import { ApiPropertyOptional, PickType } from '@nestjs/swagger';
import { IsIn } from 'class-validator';
import { CollectionQuery } from '../../kernel/resource/page.js';
import { IsInt64List, IsStorableText, MayBeAbsent } from '../../kernel/validation/decorators.js';

/** The number of characters of a name and of a tag that the indexes hold (migration OrderPlants). */
export const INDEXED = 64;

/** The maximum number of `ids`. */
const MAX_IDS = 100;

const SORTS = ['id', '-id', 'name', '-name'] as const;

export class ListPlantsQuery extends CollectionQuery {
  @ApiPropertyOptional({
    type: 'array',
    items: { type: 'integer', format: 'int64' },
    minItems: 1,
    maxItems: MAX_IDS,
    description:
      'Only these plants, in this order, each once; missing ones are left out. `ids=3,1` is the same as `ids=3&ids=1`. It cannot be combined with other parameters.',
    example: [3, 1, 2],
  })
  @MayBeAbsent()
  @IsInt64List(MAX_IDS)
  ids?: bigint[];

  @ApiPropertyOptional({
    enum: SORTS,
    description:
      'The order; `-` is descending. By default `id`, and with a filter `name`: the first 64 characters, then the id. With a filter, only `name` and `-name` work.',
    example: 'name',
  })
  @MayBeAbsent()
  @IsIn(SORTS)
  sort?: (typeof SORTS)[number];

  @ApiPropertyOptional({
    description: 'Only plants with exactly this tag.',
    example: 'houseplant',
  })
  @MayBeAbsent()
  @IsStorableText(INDEXED - 1)
  tag?: string;

  @ApiPropertyOptional({
    description: 'Only plants whose name begins with this text.',
    example: 'Mon',
  })
  @MayBeAbsent()
  @IsStorableText(INDEXED)
  name?: string;

  // The id; in a list by name or with a filter, the indexed value comes first.
  @ApiPropertyOptional({ example: 'Monstera,7', pattern: '^([^,]*,)?-?[0-9]{1,19}$' })
  override after?: string;
}

export class CountPlantsQuery extends PickType(ListPlantsQuery, ['tag', 'name']) {}

import { ApiPropertyOptional } from '@nestjs/swagger';
import { CollectionQuery } from '../../../src/kernel/resource/page.js';
import { IsInt64List, IsIntegerParameter, MayBeAbsent } from '../../../src/kernel/validation/decorators.js';

const PRICE = { type: 'integer', minimum: 0, maximum: 1_000_000, example: 1000 } as const;

export class ListOffersQuery extends CollectionQuery {
  @ApiPropertyOptional({
    type: 'array',
    items: { type: 'integer', format: 'int64' },
    minItems: 1,
    maxItems: 100,
    description: 'Only these offers.',
    example: [1],
  })
  @MayBeAbsent()
  @IsInt64List(100)
  ids?: bigint[];

  @ApiPropertyOptional({ ...PRICE, description: 'Only offers with at least this price, in its order.' })
  @MayBeAbsent()
  @IsIntegerParameter(PRICE.minimum, PRICE.maximum)
  minPrice?: number;

  @ApiPropertyOptional({ ...PRICE, description: 'Only offers with at most this price, in its order.' })
  @MayBeAbsent()
  @IsIntegerParameter(PRICE.minimum, PRICE.maximum)
  maxPrice?: number;
}

import { ApiPropertyOptional } from '@nestjs/swagger';
import { MaxLength } from 'class-validator';
import { IsInt64Parameter, IsIntegerParameter } from '../../validation/integer-parameter.js';
import { IsStorableText } from '../../validation/is-storable-text.js';
import { MayBeAbsent } from '../../validation/may-be-absent.js';

/** Characters of a filter: encoded, two of them fit into the head of a request, as the `Link` of a page has them. */
const MAX_LENGTH = 512;

/** Which plants a list shows. */
export class ListPlantsQuery {
  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    maximum: 1000,
    default: 100,
    description: 'How many plants at most. A page may have fewer, or none, although it leads to a next one.',
  })
  @IsIntegerParameter(1, 1000)
  limit = 100;

  @ApiPropertyOptional({
    type: 'integer',
    format: 'int64',
    description: 'Only plants with a greater id; `Link` has the one that leads to the next page.',
    example: 1,
  })
  @MayBeAbsent()
  @IsInt64Parameter()
  after?: bigint;

  @ApiPropertyOptional({
    maxLength: MAX_LENGTH,
    description: 'Only plants with exactly this tag.',
    example: 'houseplant',
  })
  @MayBeAbsent()
  @MaxLength(MAX_LENGTH)
  @IsStorableText()
  tag?: string;

  @ApiPropertyOptional({
    maxLength: MAX_LENGTH,
    description: 'Only plants whose name begins like this.',
    example: 'Mon',
  })
  @MayBeAbsent()
  @MaxLength(MAX_LENGTH)
  @IsStorableText()
  name?: string;
}

import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';

/** The result of one line of an import. */
@ApiSchema({ name: 'ImportResult', description: 'The result of one line of an import.' })
export class ImportResultDto {
  @ApiProperty({
    type: 'integer',
    format: 'int64',
    minimum: 1,
    description: 'The number of the line, from 1; empty lines count.',
    example: 1,
  })
  readonly line: bigint;

  @ApiProperty({
    type: 'integer',
    format: 'int32',
    description:
      '200 if the line is stored and on disk, or if the store already had exactly this; otherwise the HTTP status of the Error.',
    example: 409,
  })
  readonly status: number;

  @ApiPropertyOptional({
    type: 'integer',
    format: 'int32',
    description: 'The value of the Error; absent with 200.',
    example: 40900,
  })
  readonly error?: number;

  @ApiPropertyOptional({
    description: 'One sentence for a person; absent with 200.',
    example: 'id 1 belongs to another plant.',
  })
  readonly message?: string;
}

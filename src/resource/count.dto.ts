import { ApiProperty, ApiSchema } from '@nestjs/swagger';

/** How many resources there are. */
@ApiSchema({ name: 'Count', description: 'How many there are.' })
export class CountDto {
  @ApiProperty({ type: 'integer', minimum: 0, description: 'How many there are.', example: 1 })
  readonly count: number;
}

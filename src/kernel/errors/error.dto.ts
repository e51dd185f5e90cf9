import { ApiProperty, ApiSchema } from '@nestjs/swagger';

/** The body of every response that is not a success (specification, Error). */
@ApiSchema({ name: 'Error', description: 'The body of every response that is not a success.' })
export class ErrorDto {
  @ApiProperty({
    type: 'integer',
    format: 'int32',
    description: 'Numeric error value: 100 times the HTTP status that fits the failure, plus a detail.',
    example: 40001,
  })
  readonly error: number;

  @ApiProperty({
    description: 'One sentence for a person. If a field of the body is at fault, it begins with its name.',
    example: 'name must be a string of Unicode characters other than U+0000.',
  })
  readonly message: string;
}

import { ApiProperty, ApiSchema } from '@nestjs/swagger';

/** The answer of a health check that passes; one that does not is an Error. */
@ApiSchema({ name: 'Health', description: 'A health check that passes.' })
export class HealthDto {
  @ApiProperty({ enum: ['ok'] })
  status: 'ok';
}

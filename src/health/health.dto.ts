import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import type { Ability } from './readiness.js';

/** The answer of a health check that passes; one that does not is an Error. */
@ApiSchema({ name: 'Health', description: 'A health check that passes.' })
export class HealthDto {
  @ApiProperty({
    enum: ['ok', 'degraded'],
    description: '`degraded`: a part of the store is out of reach, and what touches it fails with 503.',
  })
  status: Ability;
}

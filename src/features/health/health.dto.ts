import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { type Check, CHECKS } from '../../kernel/store/degradation.js';

/** The response of a health check that passes; a failed check returns an Error. */
@ApiSchema({ name: 'Health', description: 'A health check that passes.' })
export class HealthDto {
  @ApiProperty({
    enum: ['ok', 'degraded'],
    description:
      '`degraded`: reads succeed, and `check` says what fails. Except for `servers`, writes fail with 503.',
  })
  status: 'ok' | 'degraded';

  @ApiPropertyOptional({
    enum: Object.keys(CHECKS),
    description: `Only with \`degraded\`. ${Object.entries(CHECKS)
      .map(([check, meaning]) => `\`${check}\`: ${meaning}.`)
      .join(' ')}`,
  })
  check?: Check;
}

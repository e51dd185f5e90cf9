import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { type Reason, REASONS } from '../../kernel/store/degradation.js';

/** The response of a health check that passes; a failed check returns an Error. */
@ApiSchema({ name: 'Health', description: 'A health check that passes.' })
export class HealthDto {
  @ApiProperty({
    enum: ['ok', 'degraded'],
    description:
      '`degraded`: reads succeed, and `reason` says what is wrong. Except for `detour`, writes fail with 503.',
  })
  status: 'ok' | 'degraded';

  @ApiPropertyOptional({
    enum: Object.keys(REASONS),
    description: `Only with \`degraded\`. ${Object.entries(REASONS)
      .map(([reason, meaning]) => `\`${reason}\`: ${meaning}.`)
      .join(' ')}`,
  })
  reason?: Reason;
}

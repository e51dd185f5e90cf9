import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { REASONS, type Reason } from './impairment.js';

/** The answer of a health check that passes; one that does not is an Error. */
@ApiSchema({ name: 'Health', description: 'A health check that passes.' })
export class HealthDto {
  @ApiProperty({
    enum: ['ok', 'degraded'],
    description: '`degraded`: some requests fail with 503, for `reason`, and others succeed.',
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

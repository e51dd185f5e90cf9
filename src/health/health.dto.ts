import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';

/** Why a service cannot write although it reads, each with its meaning. */
export const REASONS = {
  disk_full: 'the disk of the database is full',
  read_only: 'the database is read-only',
  locked: 'another process keeps the database locked',
  write_error: 'the disk of the database fails writes',
} as const;

export type Reason = keyof typeof REASONS;

/** The response of a health check that passes; one that fails is an Error. */
@ApiSchema({ name: 'Health', description: 'A health check that passes.' })
export class HealthDto {
  @ApiProperty({
    enum: ['ok', 'degraded'],
    description: '`degraded`: writes fail with 503, for `reason`, and reads succeed.',
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

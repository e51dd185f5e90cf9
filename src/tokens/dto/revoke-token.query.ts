import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn } from 'class-validator';
import { MayBeAbsent } from '../../validation/may-be-absent.js';

/** How a client revokes a token. */
export class RevokeTokenQuery {
  @ApiPropertyOptional({
    type: 'boolean',
    default: false,
    example: false,
    description: 'Revokes the token even if it is the last valid one with `admin`.',
  })
  @MayBeAbsent()
  @IsIn(['true', 'false'], { message: '$property must be true or false' })
  lastAdmin?: 'true' | 'false';
}

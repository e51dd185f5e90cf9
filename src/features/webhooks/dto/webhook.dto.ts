import { ApiProperty, ApiPropertyOptional, ApiSchema, IntersectionType, PickType } from '@nestjs/swagger';
import { ArrayNotEmpty, ArrayUnique, IsArray, IsIn, Matches } from 'class-validator';
import { IsInt64, IsStorableText, MayBeAbsent } from '../../../kernel/validation/decorators.js';
import { KINDS } from '../../changes/change-feed.js';
import type { Kind } from '../webhook.entity.js';

/** Printable ASCII without a fragment. The service checks the rest. */
const ADDRESS = /^https?:\/\/[!-"$-~]+$/;

const MAX_URL = 2_048;

const KINDS_RULE = { message: `$property must be a list of one or more of ${KINDS.join(', ')}, each once` };

const CURSOR = { type: 'integer', format: 'int64' } as const;

@ApiSchema({ name: 'NewWebhook', description: 'A webhook to make. Members that are not listed are ignored.' })
export class NewWebhookDto {
  @ApiProperty({
    pattern: ADDRESS.source,
    description:
      'Where the changes go: an https address without credentials or fragment. It must be public, unless `WEBHOOK_ADDRESSES` names it.',
    example: 'https://receiver.example.org/plants',
  })
  @IsStorableText(MAX_URL)
  @Matches(ADDRESS, { message: '$property must be an https address without a fragment' })
  url: string;

  @ApiProperty({ description: 'The resource whose changes it gets.', example: 'plants' })
  @IsStorableText(64)
  resource: string;

  @ApiPropertyOptional({
    type: 'array',
    items: { type: 'string', enum: [...KINDS] },
    minItems: 1,
    uniqueItems: true,
    // Not `default`: some generators of clients then require the field in a body.
    description: 'Which changes it gets; all if absent.',
    example: ['created', 'deleted'],
  })
  @IsArray(KINDS_RULE)
  @ArrayNotEmpty(KINDS_RULE)
  @ArrayUnique(KINDS_RULE)
  @IsIn(KINDS, { each: true, ...KINDS_RULE })
  kinds: readonly Kind[] = KINDS;
}

@ApiSchema({ name: 'WebhookAddress', description: 'Another address of a webhook.' })
export class WebhookAddressDto extends PickType(NewWebhookDto, ['url']) {}

@ApiSchema({ name: 'WebhookSecret', description: 'The secret that signs what a webhook sends.' })
export class WebhookSecretDto {
  @ApiProperty({ description: 'For a library of Standard Webhooks. It is not shown again.' })
  secret: string;
}

@ApiSchema({ name: 'Webhook', description: 'A webhook, without its secret.' })
export class WebhookDto extends NewWebhookDto {
  @ApiProperty({ description: 'The id of the webhook.', example: '5f0c9a1b2d3e' })
  id: string;

  // No enum: later versions may have other kinds.
  @ApiProperty({ required: true, items: { type: 'string' }, description: 'Which changes it gets.' })
  override kinds: readonly Kind[];

  @ApiProperty({ description: 'When the webhook was made.', example: '2026-03-01T08:30:00.000Z' })
  createdAt: Date;

  @ApiPropertyOptional({
    description:
      'The token that made or last resumed the webhook; for a JWT, `oidc:` and its subject. Absent for a webhook that is older than this field.',
    example: '5f0c9a1b2d3e',
  })
  createdBy?: string;

  @ApiProperty({
    description: '`active`, `paused` until it is resumed, or `off` while the service cannot deliver.',
    example: 'active',
  })
  state: string;

  @ApiProperty({
    ...CURSOR,
    description: 'The cursor of the last change that the receiver has accepted.',
    example: 0,
  })
  cursor: bigint;

  @ApiProperty({
    type: 'integer',
    description: 'How many changes come after that; 10,000 means 10,000 or more.',
  })
  behind: number;

  @ApiPropertyOptional({ description: 'When the receiver last took changes; absent before it has.' })
  lastSuccessAt?: Date;

  @ApiPropertyOptional({ description: 'When a request last failed; absent if none has.' })
  lastFailureAt?: Date;

  @ApiPropertyOptional({
    description: 'Why a request last failed, or why the webhook is paused.',
    example: 'The receiver returned 500.',
  })
  lastFailure?: string;

  @ApiPropertyOptional({ description: 'When a failed request is sent again; absent unless it is.' })
  nextAttemptAt?: Date;
}

@ApiSchema({ name: 'IssuedWebhook', description: 'A new webhook, with its secret.' })
export class IssuedWebhookDto extends IntersectionType(WebhookDto, WebhookSecretDto) {}

@ApiSchema({ name: 'WebhookDelivery', description: 'One request to the receiver of a webhook.' })
export class WebhookDeliveryDto {
  @ApiProperty({
    description: 'Its header `webhook-id`; retries repeat it.',
    example: '5f0c9a1b2d3e_1763711999999996_1763712000000001',
  })
  id: string;

  @ApiProperty({ description: 'When it began.', example: '2026-03-01T08:30:00.000Z' })
  at: Date;

  @ApiProperty({
    type: 'integer',
    description: 'Milliseconds until the response or the failure.',
    example: 12,
  })
  milliseconds: number;

  @ApiProperty({ type: 'integer', description: 'How many changes it had; 0 for a test.', example: 1 })
  changes: number;

  @ApiPropertyOptional({ ...CURSOR, description: 'Its changes come after this cursor; absent for a test.' })
  after?: bigint;

  @ApiPropertyOptional({ ...CURSOR, description: 'The cursor of its last change; absent for a test.' })
  cursor?: bigint;

  @ApiPropertyOptional({
    type: 'integer',
    description: 'The status of the response; absent if none has arrived.',
    example: 204,
  })
  status?: number;

  @ApiPropertyOptional({
    description: 'Why it failed; absent for a success.',
    example: 'The receiver returned 500.',
  })
  failure?: string;

  @ApiPropertyOptional({
    description: 'The beginning of the body of a failed response: up to 1,024 bytes.',
    example: 'Internal Server Error',
  })
  response?: string;
}

@ApiSchema({ name: 'Resume', description: 'Where a webhook continues.' })
export class ResumeDto {
  @ApiPropertyOptional({
    ...CURSOR,
    description:
      'The cursor of the last change that the receiver has; 0 for all that are kept. Absent for the `cursor` of the webhook.',
    example: 0,
  })
  @MayBeAbsent()
  @IsInt64()
  after?: bigint;
}

import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { IsIn, Matches } from 'class-validator';
import { MergePatchType } from '../../../src/kernel/resource/merge-patch.js';
import { IsInt64, IsStorableText, MAX_TEXT, MayBeAbsent } from '../../../src/kernel/validation/decorators.js';
import { type Decision, DECISIONS, type Offer } from './offer.entity.js';

@ApiSchema({ name: 'OfferContent', description: 'What an offer says.' })
export class OfferContentDto {
  @ApiProperty({ description: 'What is offered.', example: 'A cutting of a Monstera' })
  @IsStorableText(MAX_TEXT)
  title: string;

  @ApiPropertyOptional({
    type: 'integer',
    format: 'int64',
    description: 'The price in hundredths of the currency: 1250 is 12.50.',
    example: 1250,
  })
  @MayBeAbsent()
  @IsInt64()
  price?: bigint;

  @ApiPropertyOptional({ pattern: '^[A-Z]{3}$', description: 'The currency (ISO 4217).', example: 'EUR' })
  @MayBeAbsent()
  @Matches(/^[A-Z]{3}$/)
  currency?: string;
}

@ApiSchema({ name: 'NewOffer', description: 'An offer to create.' })
export class NewOfferDto extends OfferContentDto {
  @ApiProperty({
    type: 'integer',
    format: 'int64',
    description: 'The id, which the client chooses.',
    example: 1,
  })
  @IsInt64()
  id: bigint;
}

@ApiSchema({ name: 'Offer', description: 'An offer of the store.' })
export class OfferDto extends NewOfferDto {
  @ApiPropertyOptional({ description: 'Whose it is.', example: 'token:Ann' })
  @MayBeAbsent()
  @IsStorableText(MAX_TEXT)
  owner?: string;

  @ApiProperty({ enum: ['open', ...DECISIONS], description: 'Whether it is approved.', example: 'open' })
  @IsIn(['open', ...DECISIONS])
  state: Offer['state'];
}

@ApiSchema({ name: 'Decision', description: 'What becomes of an open offer.' })
export class DecisionDto {
  @ApiProperty({ enum: DECISIONS, description: 'The decision.', example: 'approved' })
  @IsIn(DECISIONS)
  state: Decision;
}

@ApiSchema({ name: 'OfferPatch', description: 'Changes of an offer.' })
export class OfferPatchDto extends MergePatchType(OfferContentDto) {}

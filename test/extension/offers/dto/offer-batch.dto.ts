import { ApiExtraModels, ApiProperty, ApiPropertyOptional, ApiSchema, PickType } from '@nestjs/swagger';
import { IsIn, IsObject } from 'class-validator';
import { IsIfMatch, IsOperations, type OperationDtos } from '../../../../src/features/batch/batch.js';
import { MayBeAbsent } from '../../../../src/validation/decorators.js';
import { NewOfferDto, OfferContentDto, OfferDto, OfferPatchDto } from './offer.dto.js';

class OperationDto extends PickType(NewOfferDto, ['id']) {
  @IsIfMatch()
  readonly ifMatch?: string;
}

@ApiSchema({ name: 'CreateOffer' })
class CreateOfferDto {
  @ApiProperty({ enum: ['create'] })
  @IsIn(['create'])
  readonly kind: string;

  @ApiProperty()
  @IsObject()
  readonly body: NewOfferDto;
}

@ApiSchema({ name: 'PutOffer' })
class PutOfferDto extends OperationDto {
  @ApiProperty({ enum: ['put'] })
  @IsIn(['put'])
  readonly kind: string;

  @ApiProperty()
  @IsObject()
  readonly body: OfferContentDto;

  @ApiPropertyOptional({ enum: ['*'] })
  @MayBeAbsent()
  @IsIn(['*'])
  readonly ifNoneMatch?: string;
}

@ApiSchema({ name: 'PatchOffer' })
class PatchOfferDto extends OperationDto {
  @ApiProperty({ enum: ['patch'] })
  @IsIn(['patch'])
  readonly kind: string;

  @ApiProperty()
  @IsObject()
  readonly body: OfferPatchDto;
}

@ApiSchema({ name: 'DeleteOffer' })
class DeleteOfferDto extends OperationDto {
  @ApiProperty({ enum: ['delete'] })
  @IsIn(['delete'])
  readonly kind: string;
}

export const OFFER_OPERATIONS: OperationDtos = {
  create: CreateOfferDto,
  put: PutOfferDto,
  patch: PatchOfferDto,
  delete: DeleteOfferDto,
};

@ApiSchema({ name: 'OfferBatch', description: 'Operations that happen all or not at all.' })
@ApiExtraModels(...Object.values(OFFER_OPERATIONS))
export class OfferBatchDto {
  @ApiProperty({ example: [{ kind: 'delete', id: 1 }] })
  @IsOperations(OFFER_OPERATIONS)
  readonly operations: readonly object[];
}

class OfferResultDto {
  @ApiProperty({ type: 'integer', example: 200 })
  readonly status: number;

  @ApiPropertyOptional()
  readonly body?: OfferDto;

  @ApiPropertyOptional({ example: '"0"' })
  readonly etag?: string;
}

@ApiSchema({ name: 'OfferBatchResult', description: 'The results of a batch.' })
export class OfferBatchResultDto {
  @ApiProperty({ type: [OfferResultDto] })
  readonly results: OfferResultDto[];
}

import { Module } from '@nestjs/common';
import { batchOf } from '../../../src/features/batch/batch.controller.js';
import { changesOf } from '../../../src/features/changes/changes.controller.js';
import { SearchModule } from '../../../src/features/search/search.module.js';
import { transferOf } from '../../../src/features/transfer/transfer.controller.js';
import type { Resource } from '../../../src/kernel/resource/resource.js';
import { ResourceModule } from '../../../src/kernel/resource/resource.module.js';
import { ListOffersQuery } from './list-offers.query.js';
import { NewOfferDto, OfferContentDto, OfferDto, OfferPatchDto } from './offer.dto.js';
import { Offer } from './offer.entity.js';
import { OffersController } from './offers.controller.js';
import { OffersService } from './offers.service.js';

const OFFERS: Resource<Offer> = {
  entity: Offer,
  dto: OfferDto,
  newDto: NewOfferDto,
  putDto: OfferContentDto,
  patchDto: OfferPatchDto,
  examples: [{ id: 1, title: 'A cutting' }],
  owner: 'owner',
  assigned: ['state'],
  initial: { state: 'open' },
  rule: ({ price, currency }) =>
    (price === null) === (currency === null) ? undefined : 'price and currency need each other',
};

@Module({
  imports: [ResourceModule.forFeature(OFFERS), SearchModule.of(OFFERS, ['title'], ListOffersQuery)],
  controllers: [batchOf(OFFERS), changesOf(OFFERS), transferOf(OFFERS), OffersController],
  providers: [OffersService],
})
export class OffersModule {
  static readonly scopes = ['offers:own', 'offers:read', 'offers:write'];
  static readonly tag = { name: 'offers', description: 'What people sell.' };
  static readonly resource = OFFERS;
}

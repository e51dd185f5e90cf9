import { Injectable } from '@nestjs/common';
import type { Principal } from '../../../src/kernel/auth/principal.js';
import type { Collection } from '../../../src/kernel/resource/collection.js';
import { InjectCollection } from '../../../src/kernel/resource/resource.module.js';
import type { IndexScan } from '../../../src/kernel/store/scans/index-scan.js';
import type { ListOffersQuery } from './dto/list-offers.query.js';
import { Offer } from './offer.entity.js';

/** The rules of offers. */
@Injectable()
export class OffersService {
  constructor(@InjectCollection(Offer) private readonly offers: Collection<Offer>) {}

  of(caller: Principal): Collection<Offer> {
    return this.offers.as(caller);
  }

  /** In the order of prices where they are bounded (the indexes of the migration CreateOffers). */
  scanOf({ minPrice, maxPrice }: ListOffersQuery): IndexScan {
    if (minPrice === undefined && maxPrice === undefined) return { order: ['id'] };
    return { order: ['price', 'id'], least: minPrice, greatest: maxPrice };
  }
}

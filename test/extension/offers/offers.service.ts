import { Injectable } from '@nestjs/common';
import type { Principal } from '../../../src/auth/principal.js';
import type { Collection } from '../../../src/resource/collection.js';
import { InjectCollection } from '../../../src/resource/resource.module.js';
import type { IndexScan } from '../../../src/store/scans/index-scan.js';
import type { ListOffersQuery } from './dto/list-offers.query.js';
import { Offer } from './offer.entity.js';

/** The scopes with which a caller sees, or also changes, offers of everyone; with `offers:own` only those of the same owner. */
export const READ = 'offers:read';
export const WRITE = ['offers:read', 'offers:write'];

/** The rules of offers. */
@Injectable()
export class OffersService {
  constructor(@InjectCollection(Offer) private readonly offers: Collection<Offer>) {}

  readBy(caller: Principal): Collection<Offer> {
    return this.offers.as(caller, READ);
  }

  changedBy(caller: Principal): Collection<Offer> {
    return this.offers.as(caller, WRITE);
  }

  /** In the order of prices where they are bounded (the indexes of the migration CreateOffers). */
  scanOf({ minPrice, maxPrice }: ListOffersQuery): IndexScan {
    if (minPrice === undefined && maxPrice === undefined) return { order: ['id'] };
    return { order: ['price', 'id'], least: minPrice, greatest: maxPrice };
  }
}

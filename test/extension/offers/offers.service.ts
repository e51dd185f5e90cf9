import { Injectable } from '@nestjs/common';
import type { Principal } from '../../../src/kernel/auth/principal.js';
import type { Collection } from '../../../src/kernel/resource/collection.js';
import { InjectCollection } from '../../../src/kernel/resource/resource.module.js';
import type { IndexScan } from '../../../src/kernel/store/scans/index-scan.js';
import { ApiException } from '../../../src/kernel/errors/api.exception.js';
import { ownErrorValue } from '../../../src/kernel/errors/error-value.js';
import type { ListOffersQuery } from './list-offers.query.js';
import type { OfferDto } from './offer.dto.js';
import { type Decision, Offer } from './offer.entity.js';

const OFFER_DECIDED = ownErrorValue(40950);

export function offerDecided(message = 'Somebody has decided on the offer.'): ApiException {
  return new ApiException(OFFER_DECIDED, message);
}

/** The rules of offers. */
@Injectable()
export class OffersService {
  constructor(@InjectCollection(Offer) private readonly offers: Collection<Offer>) {}

  /** Approves or rejects an open offer: only one of those who do it at once succeeds. */
  decide(id: bigint, state: Decision): Promise<OfferDto> {
    return this.offers.ofEveryone().change(id, (offer) => {
      if (offer.state !== 'open') throw offerDecided(`The offer is ${offer.state} already.`);
      return { state };
    });
  }

  of(caller: Principal): Collection<Offer> {
    return this.offers.as(caller);
  }

  /** In the order of prices where they are bounded (the indexes of the migration CreateOffers). */
  scanOf({ minPrice, maxPrice }: ListOffersQuery): IndexScan {
    if (minPrice === undefined && maxPrice === undefined) return { order: ['id'] };
    return { order: ['price', 'id'], least: minPrice, greatest: maxPrice };
  }
}

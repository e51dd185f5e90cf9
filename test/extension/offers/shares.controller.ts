import { Controller, Delete, Get, HttpStatus, Put, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { InjectRepository } from '@nestjs/typeorm';
import type { Response } from 'express';
import type { Repository } from 'typeorm';
import { Caller, RequireScope } from '../../../src/kernel/auth/access.decorators.js';
import { ownerOf, type Principal } from '../../../src/kernel/auth/principal.js';
import { ErrorValue } from '../../../src/kernel/errors/error-value.js';
import type { Json } from '../../../src/kernel/http/body/exact-json.js';
import { Endpoint } from '../../../src/kernel/openapi/endpoint.decorator.js';
import { CollectionQuery, setPageHeaders } from '../../../src/kernel/resource/page.js';
import { TextPipe } from '../../../src/kernel/resource/key.pipes.js';
import { Int64Id, PathKey, pageResponse } from '../../../src/kernel/resource/resource.decorators.js';
import { unknownResource } from '../../../src/kernel/resource/resource-errors.js';
import { STORABLE_TEXT } from '../../../src/kernel/validation/decorators.js';
import { OfferDto } from './offer.dto.js';
import { OffersService } from './offers.service.js';
import { Share } from './share.entity.js';

/** Somebody to share with, in a path. */
const Person = () =>
  PathKey('person', new TextPipe(64), {
    schema: { type: 'string', maxLength: 64, pattern: STORABLE_TEXT },
    example: 'token:Bob',
  });

/** Lets others read an offer. Batches, exports and changes have what belongs to the caller only. */
@ApiTags('offers')
@Controller('offers')
export class SharesController {
  constructor(
    private readonly offers: OffersService,
    @InjectRepository(Share) private readonly shares: Repository<Share>,
  ) {}

  @Get('shared')
  @RequireScope('offers:own')
  @Endpoint({
    id: 'listSharedOffers',
    summary: 'List the offers of others',
    description: 'Returns a page of the offers that others share with the caller.',
    returns: pageResponse(OfferDto, 'The offers in ascending id.', { hasTotal: true }),
    errors: [ErrorValue.InvalidParameter],
  })
  async list(
    @Query() query: CollectionQuery,
    @Res({ passthrough: true }) response: Response,
    @Caller() caller: Principal,
  ): Promise<Json<OfferDto[]>> {
    const page = await this.offers.sharedWith(ownerOf(caller), query);
    setPageHeaders(response, query, page);
    return page.items;
  }

  @Put(':id/shares/:person')
  @RequireScope('offers:own')
  @Endpoint({
    id: 'shareOffer',
    summary: 'Share an offer',
    description: 'Lets a person read an offer of the caller. May be repeated.',
    returns: { status: HttpStatus.NO_CONTENT, description: 'The person may read it.' },
    errors: [ErrorValue.InvalidParameter, unknownResource('offer', 1n)],
  })
  async share(
    @Int64Id() offer: bigint,
    @Person() person: string,
    @Caller() caller: Principal,
  ): Promise<void> {
    const share = { offer, person, owner: ownerOf(caller) };
    await this.shares.createQueryBuilder().insert().values(share).orIgnore().execute();
  }

  @Delete(':id/shares/:person')
  @RequireScope('offers:own')
  @Endpoint({
    id: 'unshareOffer',
    summary: 'End the sharing of an offer',
    description: 'Takes an offer of the caller back from a person. May be repeated.',
    returns: { status: HttpStatus.NO_CONTENT, description: 'The person may not read it.' },
    errors: [ErrorValue.InvalidParameter],
  })
  async unshare(
    @Int64Id() offer: bigint,
    @Person() person: string,
    @Caller() caller: Principal,
  ): Promise<void> {
    await this.shares.delete({ offer, person, owner: ownerOf(caller) });
  }
}

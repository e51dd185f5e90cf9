import { Body, Controller, Delete, Get, HttpStatus, Patch, Post, Put, Query, Res } from '@nestjs/common';
import { ApiConsumes, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Caller, RequireScope } from '../../../src/kernel/auth/access.decorators.js';
import type { Principal } from '../../../src/kernel/auth/principal.js';
import { ErrorValue } from '../../../src/kernel/errors/error-value.js';
import { PATCH_TYPES } from '../../../src/kernel/http/body/media-types.js';
import { BODY_ERRORS } from '../../../src/kernel/openapi/api-errors.decorator.js';
import { Endpoint } from '../../../src/kernel/openapi/endpoint.decorator.js';
import {
  answerRead,
  answerWrite,
  type Preconditions,
} from '../../../src/kernel/resource/conditional-requests.js';
import { CountDto, setPageHeaders } from '../../../src/kernel/resource/page.js';
import {
  idTaken,
  preconditionFailed,
  unknownResource,
} from '../../../src/kernel/resource/resource-errors.js';
import {
  ApiReadConditions,
  Int64Id,
  pageResponse,
  ReadPreconditions,
  ReadPutPreconditions,
  resourceResponse,
} from '../../../src/kernel/resource/resource.decorators.js';
import type { Json } from '../../../src/kernel/http/body/exact-json.js';
import { ListOffersQuery } from './list-offers.query.js';
import { DecisionDto, NewOfferDto, OfferContentDto, OfferDto, OfferPatchDto } from './offer.dto.js';
import { offerDecided, OffersService } from './offers.service.js';

/** The scopes with which a caller sees, or also changes, offers of everyone; with `offers:own` only those of the same owner. */
const READ = 'offers:read';
const WRITE = ['offers:read', 'offers:write'];
const OWN = 'offers:own';
const OFFER_ERRORS = [
  ErrorValue.InvalidParameter,
  unknownResource('offer', 1n),
  preconditionFailed(),
] as const;

/** Every operation that a resource can have, for callers who may see only what is theirs. */
@ApiTags('offers')
@Controller('offers')
export class OffersController {
  constructor(private readonly offers: OffersService) {}

  @Post()
  @RequireScope(WRITE, OWN)
  @Endpoint({
    id: 'createOffer',
    summary: 'Store an offer',
    description: 'Stores an offer of the caller.',
    returns: resourceResponse(OfferDto, 'The offer is on disk.', HttpStatus.CREATED),
    errors: [...BODY_ERRORS, idTaken('offer', 1n)],
  })
  async create(@Body() newOffer: NewOfferDto, @Caller() caller: Principal): Promise<OfferDto> {
    await this.offers
      .of(caller)
      .create(Object.assign({ clerk: caller.id, state: 'open' as const }, newOffer));
    return this.offers.of(caller).find(newOffer.id);
  }

  @Get('count')
  @RequireScope(READ, OWN)
  @Endpoint({
    id: 'countOffers',
    summary: 'Count offers',
    description: 'Counts offers.',
    returns: { type: CountDto },
    errors: [ErrorValue.InvalidParameter],
  })
  async count(@Query() query: ListOffersQuery, @Caller() caller: Principal): Promise<CountDto> {
    const offers = this.offers.of(caller);
    return { count: await offers.count(this.offers.scanOf(query), query) };
  }

  @Get()
  @RequireScope(READ, OWN)
  @Endpoint({
    id: 'listOffers',
    summary: 'List offers',
    description: 'Returns a page of offers.',
    returns: pageResponse(OfferDto, 'The offers.', { hasTotal: true }),
    errors: [ErrorValue.InvalidParameter],
  })
  async list(
    @Query() query: ListOffersQuery,
    @Res({ passthrough: true }) response: Response,
    @Caller() caller: Principal,
  ): Promise<OfferDto[] | Json<OfferDto[]>> {
    const offers = this.offers.of(caller);
    const page =
      query.ids === undefined
        ? await offers.list(this.offers.scanOf(query), query)
        : await offers.findAll(query.ids);
    setPageHeaders(response, query, page);
    return page.items;
  }

  @Get(':id')
  @RequireScope(READ, OWN)
  @ApiReadConditions()
  @Endpoint({
    id: 'getOffer',
    summary: 'Read an offer',
    description: 'Returns an offer.',
    returns: resourceResponse(OfferDto, 'The offer.'),
    errors: OFFER_ERRORS,
  })
  async find(
    @Int64Id() id: bigint,
    @Res({ passthrough: true }) response: Response,
    @Caller() caller: Principal,
  ): Promise<OfferDto | undefined> {
    return answerRead(response, await this.offers.of(caller).find(id));
  }

  @Put(':id')
  @RequireScope(WRITE, OWN)
  @Endpoint({
    id: 'putOffer',
    summary: 'Create or replace an offer',
    description: 'Stores an offer, or replaces it.',
    returns: resourceResponse(OfferDto, 'The offer as it is now.'),
    errors: [...BODY_ERRORS, ErrorValue.InvalidParameter, idTaken('offer', 1n), preconditionFailed()],
  })
  async put(
    @Int64Id() id: bigint,
    @Body() content: OfferContentDto,
    @ReadPutPreconditions() preconditions: Preconditions,
    @Res({ passthrough: true }) response: Response,
    @Caller() caller: Principal,
  ): Promise<OfferDto | undefined> {
    const { representation } = await this.offers.of(caller).put(id, content, preconditions);
    return answerWrite(response, representation);
  }

  @Patch(':id')
  @RequireScope(WRITE, OWN)
  @ApiConsumes(...PATCH_TYPES)
  @Endpoint({
    id: 'patchOffer',
    summary: 'Change some fields of an offer',
    description: 'Applies a merge patch (RFC 7396).',
    returns: resourceResponse(OfferDto, 'The offer as it is now.'),
    errors: [...BODY_ERRORS, ...OFFER_ERRORS],
  })
  async patch(
    @Int64Id() id: bigint,
    @Body() patch: OfferPatchDto,
    @ReadPreconditions() preconditions: Preconditions,
    @Res({ passthrough: true }) response: Response,
    @Caller() caller: Principal,
  ): Promise<OfferDto | undefined> {
    return answerWrite(response, await this.offers.of(caller).patch(id, patch, preconditions));
  }

  @Post(':id/decision')
  @RequireScope(WRITE)
  @Endpoint({
    id: 'decideOffer',
    summary: 'Approve or reject an offer',
    description: 'Approves or rejects an open offer. `GET /offers/changes?id=…` says who did it, and when.',
    returns: { type: OfferDto, description: 'The offer as it is now.' },
    errors: [...BODY_ERRORS, ErrorValue.InvalidParameter, unknownResource('offer', 1n), offerDecided()],
  })
  decide(@Int64Id() id: bigint, @Body() { state }: DecisionDto): Promise<OfferDto> {
    return this.offers.decide(id, state);
  }

  @Delete(':id')
  @RequireScope(WRITE, OWN)
  @Endpoint({
    id: 'deleteOffer',
    summary: 'Delete an offer',
    description: 'Deletes an offer.',
    returns: { status: HttpStatus.NO_CONTENT, description: 'The offer is deleted.' },
    errors: OFFER_ERRORS,
  })
  remove(
    @Int64Id() id: bigint,
    @ReadPreconditions() preconditions: Preconditions,
    @Caller() caller: Principal,
  ): Promise<void> {
    return this.offers.of(caller).remove(id, preconditions);
  }
}

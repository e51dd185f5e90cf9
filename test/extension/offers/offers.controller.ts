import {
  Body,
  Controller,
  Delete,
  Get,
  HttpCode,
  HttpStatus,
  Param,
  Patch,
  Post,
  Put,
  Query,
  Res,
} from '@nestjs/common';
import {
  ApiConsumes,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiQuery,
  ApiTags,
} from '@nestjs/swagger';
import type { Response } from 'express';
import { Caller, RequireScope } from '../../../src/auth/access.decorators.js';
import type { Principal } from '../../../src/auth/principal.js';
import { ErrorValue } from '../../../src/errors/error-value.js';
import { PATCH_TYPES } from '../../../src/http/body/media-types.js';
import { ApiErrors, BODY_ERRORS } from '../../../src/openapi/api-errors.decorator.js';
import {
  answerRead,
  answerWrite,
  type Preconditions,
  ReadPreconditions,
} from '../../../src/resource/conditional-requests.js';
import { Int64Pipe } from '../../../src/resource/key.pipes.js';
import { CountDto, setPageHeaders } from '../../../src/resource/page.js';
import { idTaken, preconditionFailed, unknownResource } from '../../../src/resource/resource-errors.js';
import {
  ApiCreateCondition,
  ApiInt64Id,
  ApiPage,
  ApiReadConditions,
  ApiResource,
  ApiWriteCondition,
} from '../../../src/resource/resource.decorators.js';
import type { Json } from '../../../src/http/body/exact-json.js';
import { ListOffersQuery } from './dto/list-offers.query.js';
import { NewOfferDto, OfferContentDto, OfferDto, OfferPatchDto } from './dto/offer.dto.js';
import { OffersService, READ, WRITE } from './offers.service.js';

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
  @ApiOperation({ operationId: 'createOffer', description: 'Stores an offer of the caller.' })
  @ApiResource(OfferDto, HttpStatus.CREATED, 'The offer is on disk.')
  @ApiErrors([...BODY_ERRORS, idTaken('offer', 1n)])
  async create(@Body() newOffer: NewOfferDto, @Caller() caller: Principal): Promise<OfferDto> {
    await this.offers.changedBy(caller).create(Object.assign({ clerk: caller.id }, newOffer));
    return this.offers.changedBy(caller).find(newOffer.id);
  }

  @Get('count')
  @RequireScope(READ, OWN)
  @ApiOperation({ operationId: 'countOffers', description: 'Counts offers.' })
  @ApiOkResponse({ type: CountDto })
  @ApiErrors([ErrorValue.InvalidParameter])
  async count(@Query() query: ListOffersQuery, @Caller() caller: Principal): Promise<CountDto> {
    const offers = this.offers.readBy(caller);
    return { count: await offers.count(this.offers.rangeOf(query), query) };
  }

  @Get()
  @RequireScope(READ, OWN)
  @ApiOperation({ operationId: 'listOffers', description: 'Returns a page of offers.' })
  @ApiQuery({ name: 'ids', required: false, style: 'form', explode: false })
  @ApiPage(OfferDto, 'The offers.', { hasTotal: true })
  @ApiErrors([ErrorValue.InvalidParameter])
  async list(
    @Query() query: ListOffersQuery,
    @Res({ passthrough: true }) response: Response,
    @Caller() caller: Principal,
  ): Promise<OfferDto[] | Json<OfferDto[]>> {
    const offers = this.offers.readBy(caller);
    if (query.ids !== undefined) return offers.findAll(query.ids);
    const page = await offers.list(this.offers.rangeOf(query), query);
    setPageHeaders(response, query, page);
    return page.items;
  }

  @Get(':id')
  @RequireScope(READ, OWN)
  @ApiOperation({ operationId: 'getOffer', description: 'Returns an offer.' })
  @ApiInt64Id()
  @ApiReadConditions()
  @ApiResource(OfferDto, HttpStatus.OK, 'The offer.')
  @ApiErrors(OFFER_ERRORS)
  async find(
    @Param('id', Int64Pipe) id: bigint,
    @Res({ passthrough: true }) response: Response,
    @Caller() caller: Principal,
  ): Promise<OfferDto | undefined> {
    return answerRead(response, await this.offers.readBy(caller).find(id));
  }

  @Put(':id')
  @RequireScope(WRITE, OWN)
  @ApiOperation({ operationId: 'putOffer', description: 'Stores an offer, or replaces it.' })
  @ApiInt64Id()
  @ApiWriteCondition()
  @ApiCreateCondition()
  @ApiResource(OfferDto, HttpStatus.OK, 'The offer as it is now.')
  @ApiErrors([...BODY_ERRORS, ErrorValue.InvalidParameter, idTaken('offer', 1n), preconditionFailed()])
  async put(
    @Param('id', Int64Pipe) id: bigint,
    @Body() content: OfferContentDto,
    @ReadPreconditions() preconditions: Preconditions,
    @Res({ passthrough: true }) response: Response,
    @Caller() caller: Principal,
  ): Promise<OfferDto> {
    const { representation } = await this.offers.changedBy(caller).put(id, content, preconditions);
    return answerWrite(response, representation);
  }

  @Patch(':id')
  @RequireScope(WRITE, OWN)
  @ApiOperation({ operationId: 'patchOffer', description: 'Applies a merge patch (RFC 7396).' })
  @ApiInt64Id()
  @ApiWriteCondition()
  @ApiConsumes(...PATCH_TYPES)
  @ApiResource(OfferDto, HttpStatus.OK, 'The offer as it is now.')
  @ApiErrors([...BODY_ERRORS, ...OFFER_ERRORS])
  async patch(
    @Param('id', Int64Pipe) id: bigint,
    @Body() patch: OfferPatchDto,
    @ReadPreconditions() preconditions: Preconditions,
    @Res({ passthrough: true }) response: Response,
    @Caller() caller: Principal,
  ): Promise<OfferDto> {
    return answerWrite(response, await this.offers.changedBy(caller).patch(id, patch, preconditions));
  }

  @Delete(':id')
  @HttpCode(HttpStatus.NO_CONTENT)
  @RequireScope(WRITE, OWN)
  @ApiOperation({ operationId: 'deleteOffer', description: 'Deletes an offer.' })
  @ApiInt64Id()
  @ApiWriteCondition()
  @ApiNoContentResponse({ description: 'The offer is deleted.' })
  @ApiErrors(OFFER_ERRORS)
  remove(
    @Param('id', Int64Pipe) id: bigint,
    @ReadPreconditions() preconditions: Preconditions,
    @Caller() caller: Principal,
  ): Promise<void> {
    return this.offers.changedBy(caller).remove(id, preconditions);
  }
}

import { Body, Controller, Delete, Get, HttpStatus, Post, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Caller, RequireScope } from '../auth/access.decorators.js';
import { ADMIN, type Principal } from '../auth/principal.js';
import { ErrorValue } from '../errors/error-value.js';
import { BODY_ERRORS } from '../openapi/api-errors.decorator.js';
import { Endpoint } from '../openapi/endpoint.decorator.js';
import { type Idempotency, IdempotencyKey, keyReused } from '../resource/idempotency.js';
import { PageQuery, setPageHeaders } from '../resource/page.js';
import { unknownResource } from '../resource/resource-errors.js';
import { MadeId, MADE_ID, madeResponse, pageResponse } from '../resource/resource.decorators.js';
import { CurrentTokenDto, IssuedTokenDto, NewTokenDto, RevokeTokenQuery, TokenDto } from './dto/token.dto.js';
import { lastAdmin, madeByAnother, TokensService } from './tokens.service.js';

@ApiTags('tokens')
@Controller('tokens')
export class TokensController {
  constructor(private readonly tokens: TokensService) {}

  @Get()
  @RequireScope(ADMIN)
  @Endpoint({
    id: 'listTokens',
    summary: 'List access tokens',
    description:
      'Returns a page of the access tokens, including expired and revoked ones, with a `Link` to the next one. Changes nothing.',
    returns: pageResponse(TokenDto, 'The tokens, oldest first, without their secrets.'),
    errors: [ErrorValue.InvalidParameter],
  })
  async list(@Query() query: PageQuery, @Res({ passthrough: true }) response: Response): Promise<TokenDto[]> {
    const page = await this.tokens.list(query);
    setPageHeaders(response, query, page);
    return page.items;
  }

  @Post()
  @RequireScope(ADMIN)
  @Endpoint({
    id: 'createToken',
    summary: 'Make an access token',
    description:
      'Makes an access token, whose id and secret the service chooses. It grants only scopes that the token of the request has. Without `Idempotency-Key`, a repeated request makes another one.',
    returns: madeResponse(
      IssuedTokenDto,
      'The token is on disk. Only this response and its retries show the secret.',
    ),
    errors: [...BODY_ERRORS, ErrorValue.InvalidParameter, madeByAnother(MADE_ID), keyReused()],
  })
  async create(
    @Body() newToken: NewTokenDto,
    @Caller() caller: Principal,
    @IdempotencyKey() idempotency: Idempotency | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<IssuedTokenDto> {
    const token = await this.tokens.create(newToken, caller, idempotency);
    response.location(`tokens/${token.id}`);
    return token;
  }

  @Get('current')
  @RequireScope([])
  @Endpoint({
    id: 'getCurrentToken',
    summary: 'Read the access token of the request',
    description: 'Returns the access token of the request and its scopes. Changes nothing.',
    returns: { type: CurrentTokenDto, description: 'The token.' },
  })
  current(@Caller() caller: Principal): CurrentTokenDto {
    return this.tokens.describeCurrent(caller);
  }

  @Get(':id')
  @RequireScope(ADMIN)
  @Endpoint({
    id: 'getToken',
    summary: 'Read an access token',
    description:
      'Returns an access token, even an expired or revoked one, without its secret. Changes nothing.',
    returns: { type: TokenDto, description: 'The token.' },
    errors: [ErrorValue.InvalidParameter, unknownResource('token', MADE_ID)],
  })
  find(@MadeId('token') id: string): Promise<TokenDto> {
    return this.tokens.find(id);
  }

  @Delete(':id')
  @RequireScope(ADMIN)
  @Endpoint({
    id: 'revokeToken',
    summary: 'Revoke an access token',
    description:
      'Revokes an access token for good: it stops working within 2 seconds, and stays in the list. May be repeated.',
    returns: { status: HttpStatus.NO_CONTENT, description: 'The token is revoked, and that is on disk.' },
    errors: [ErrorValue.InvalidParameter, unknownResource('token', MADE_ID), lastAdmin()],
  })
  revoke(@MadeId('token') id: string, @Query() query: RevokeTokenQuery): Promise<void> {
    return this.tokens.revoke(id, query.lastAdmin ?? false);
  }
}

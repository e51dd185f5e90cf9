import { Body, Controller, Delete, Get, HttpStatus, Post, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Caller, RequireScope } from '../../kernel/auth/access.decorators.js';
import { ADMIN, type Principal, TOKENS_READ } from '../../kernel/auth/principal.js';
import { ErrorValue } from '../../kernel/errors/error-value.js';
import { BODY_ERRORS } from '../../kernel/openapi/api-errors.decorator.js';
import { Endpoint } from '../../kernel/openapi/endpoint.decorator.js';
import { setPageHeaders } from '../../kernel/resource/page.js';
import { unknownResource } from '../../kernel/resource/resource-errors.js';
import { MadeId, MADE_ID, madeResponse, pageResponse } from '../../kernel/resource/resource.decorators.js';
import {
  CurrentTokenDto,
  IssuedTokenDto,
  ListTokensQuery,
  NewTokenDto,
  RevokeTokenQuery,
  TokenDto,
} from './dto/token.dto.js';
import { lastAdmin, TokensService } from './tokens.service.js';

@ApiTags('tokens')
@Controller('tokens')
export class TokensController {
  constructor(private readonly tokens: TokensService) {}

  @Get()
  @RequireScope(ADMIN, TOKENS_READ)
  @Endpoint({
    id: 'listTokens',
    summary: 'List access tokens',
    description:
      'Returns a page of the access tokens, including expired and revoked ones, with a `Link` to the next one. Changes nothing.',
    returns: pageResponse(TokenDto, 'The tokens, oldest first, without their secrets.'),
    errors: [ErrorValue.InvalidParameter],
  })
  async list(
    @Query() query: ListTokensQuery,
    @Res({ passthrough: true }) response: Response,
  ): Promise<TokenDto[]> {
    const page = await this.tokens.list(query);
    setPageHeaders(response, query, page);
    return page.items;
  }

  @Post()
  @RequireScope(ADMIN)
  @Endpoint({
    id: 'createToken',
    summary: 'Create an access token',
    description:
      'Makes an access token, whose id and secret the service chooses. It grants only scopes that the token of the request has. A repeated request makes another one.',
    returns: madeResponse(IssuedTokenDto, 'The token is on disk. Only this response shows the secret.'),
    errors: BODY_ERRORS,
  })
  async create(
    @Body() newToken: NewTokenDto,
    @Caller() caller: Principal,
    @Res({ passthrough: true }) response: Response,
  ): Promise<IssuedTokenDto> {
    const token = await this.tokens.create(newToken, caller);
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
  @RequireScope(ADMIN, TOKENS_READ)
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
      'Revokes an access token for good, and with `createdSince` what it has created: it stops working within 2 seconds, and stays in the list. May be repeated.',
    returns: { status: HttpStatus.NO_CONTENT, description: 'The token is revoked, and that is on disk.' },
    errors: [ErrorValue.InvalidParameter, unknownResource('token', MADE_ID), lastAdmin()],
  })
  revoke(
    @MadeId('token') id: string,
    @Query() query: RevokeTokenQuery,
    @Caller() caller: Principal,
  ): Promise<void> {
    return this.tokens.revoke(id, query, caller);
  }
}

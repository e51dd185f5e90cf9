import { Body, Controller, Delete, Get, HttpCode, HttpStatus, Param, Post, Query, Res } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Caller, RequireScope } from '../auth/access.decorators.js';
import { ADMIN, type Principal } from '../auth/principal.js';
import { ErrorValue } from '../errors/error-value.js';
import { ApiErrors, BODY_ERRORS } from '../openapi/api-errors.decorator.js';
import { PageQuery, setPageHeaders } from '../resource/page.js';
import { unknownResource } from '../resource/resource-errors.js';
import { ApiMade, ApiPage } from '../resource/resource.decorators.js';
import { TextPipe } from '../resource/key.pipes.js';
import { CurrentTokenDto, IssuedTokenDto, NewTokenDto, RevokeTokenQuery, TokenDto } from './dto/token.dto.js';
import { lastAdmin, TokensService } from './tokens.service.js';

const ID = '5f0c9a1b2d3e';

const TokenId = new TextPipe(64);

const ApiTokenId = ApiParam({
  name: 'id',
  description: 'The id of the token.',
  schema: { type: 'string', pattern: String.raw`^\w{1,64}$`, example: ID },
});

@ApiTags('tokens')
@Controller('tokens')
export class TokensController {
  constructor(private readonly tokens: TokensService) {}

  @Get()
  @RequireScope(ADMIN)
  @ApiOperation({
    operationId: 'listTokens',
    summary: 'List access tokens',
    description:
      'Returns a page of the access tokens, expired and revoked ones included, and in `Link` where the next one is. Changes nothing.',
  })
  @ApiPage(TokenDto, 'The tokens, oldest first, without their secrets.')
  @ApiErrors([ErrorValue.InvalidParameter])
  async list(@Query() query: PageQuery, @Res({ passthrough: true }) response: Response): Promise<TokenDto[]> {
    const page = await this.tokens.list(query);
    setPageHeaders(response, query, page);
    return page.items;
  }

  @Post()
  @RequireScope(ADMIN)
  @ApiOperation({
    operationId: 'createToken',
    summary: 'Make an access token',
    description:
      'Makes an access token, whose id and secret the service chooses. It grants only scopes that the token of the request has. A request that is repeated makes another one.',
  })
  @ApiMade(IssuedTokenDto, 'The token is on disk. Its secret is shown this once.')
  @ApiErrors(BODY_ERRORS)
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
  @ApiOperation({
    operationId: 'getCurrentToken',
    summary: 'Read the access token of the request',
    description: 'Returns what the access token of the request is and may do. Changes nothing.',
  })
  @ApiOkResponse({ type: CurrentTokenDto, description: 'The token.' })
  @ApiErrors()
  current(@Caller() caller: Principal): CurrentTokenDto {
    return this.tokens.describeCurrent(caller);
  }

  @Get(':id')
  @RequireScope(ADMIN)
  @ApiOperation({
    operationId: 'getToken',
    summary: 'Read an access token',
    description: 'Returns an access token, expired or revoked or not, without its secret. Changes nothing.',
  })
  @ApiTokenId
  @ApiOkResponse({ type: TokenDto, description: 'The token.' })
  @ApiErrors([ErrorValue.InvalidParameter, unknownResource('token', ID)])
  find(@Param('id', TokenId) id: string): Promise<TokenDto> {
    return this.tokens.find(id);
  }

  @Delete(':id')
  @HttpCode(HttpStatus.NO_CONTENT)
  @RequireScope(ADMIN)
  @ApiOperation({
    operationId: 'revokeToken',
    summary: 'Revoke an access token',
    description:
      'Revokes an access token for good: it stops working within 2 seconds, and stays in the list. May be repeated.',
  })
  @ApiTokenId
  @ApiNoContentResponse({ description: 'The token is revoked, and that is on disk.' })
  @ApiErrors([ErrorValue.InvalidParameter, unknownResource('token', ID), lastAdmin()])
  revoke(@Param('id', TokenId) id: string, @Query() query: RevokeTokenQuery): Promise<void> {
    return this.tokens.revoke(id, query.lastAdmin ?? false);
  }
}

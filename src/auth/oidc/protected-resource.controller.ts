import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Public } from '../access.decorators.js';
import { METADATA_PATH, ProtectedResource } from './protected-resource.js';
import { ProtectedResourceDto } from './protected-resource.dto.js';

/** Tells clients where to get access tokens; open to everybody. */
@ApiTags('authentication')
@Public()
@Controller()
export class ProtectedResourceController {
  constructor(private readonly resource: ProtectedResource) {}

  @Get(METADATA_PATH)
  @ApiOperation({
    operationId: 'getProtectedResource',
    summary: 'Where to get access tokens',
    description: 'Names the identity provider whose access tokens the service accepts (RFC 9728).',
  })
  @ApiOkResponse({ type: ProtectedResourceDto, description: 'Where to get access tokens.' })
  describe(): ProtectedResourceDto {
    return this.resource.describe();
  }
}

import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Public } from '../auth/access.decorators.js';
import { ErrorValue } from '../errors/error-value.js';
import { ApiErrors } from '../openapi/api-errors.decorator.js';
import { HealthDto } from './health.dto.js';
import { Readiness } from './readiness.js';

/** Tells whoever runs the service how it is; open to everybody. */
@ApiTags('health')
@Public()
@Controller('health')
export class HealthController {
  constructor(private readonly readiness: Readiness) {}

  @Get('live')
  @ApiOperation({ operationId: 'isLive', summary: 'Whether the process answers', security: [{}] })
  @ApiOkResponse({ type: HealthDto, description: 'The process answers.' })
  live(): HealthDto {
    return { status: 'ok' };
  }

  @Get('ready')
  @ApiOperation({ operationId: 'isReady', summary: 'Whether the service can serve requests', security: [{}] })
  @ApiOkResponse({ type: HealthDto, description: 'The service can serve requests: its database answers.' })
  @ApiErrors([ErrorValue.Unavailable])
  async ready(): Promise<HealthDto> {
    await this.readiness.check();
    return { status: 'ok' };
  }
}

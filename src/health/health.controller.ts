import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { DataSource } from 'typeorm';
import { Public } from '../auth/public.decorator.js';
import { unavailable } from '../errors/unavailable.js';
import { ApiErrors } from '../openapi/api-errors.decorator.js';
import { HealthDto } from './health.dto.js';

/** Tells whoever runs the service how it is; open to everybody. */
@ApiTags('health')
@Public()
@Controller('health')
export class HealthController {
  constructor(private readonly dataSource: DataSource) {}

  @Get('live')
  @ApiOperation({ operationId: 'isLive', summary: 'Whether the process answers', security: [{}] })
  @ApiOkResponse({ type: HealthDto, description: 'The process answers.' })
  live(): HealthDto {
    return { status: 'ok' };
  }

  @Get('ready')
  @ApiOperation({ operationId: 'isReady', summary: 'Whether the service can serve requests', security: [{}] })
  @ApiOkResponse({ type: HealthDto, description: 'The service can serve requests: its database answers.' })
  @ApiErrors(503)
  async ready(): Promise<HealthDto> {
    try {
      await this.dataSource.query('SELECT 1 FROM plants LIMIT 1');
    } catch (error) {
      throw unavailable('The database does not answer.', error);
    }
    return { status: 'ok' };
  }
}

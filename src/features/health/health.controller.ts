import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Public } from '../../kernel/auth/access.decorators.js';
import { HealthDto, Readiness } from './readiness.js';
import { Endpoint } from '../../kernel/openapi/endpoint.decorator.js';

@ApiTags('health')
@Public()
@Controller('health')
export class HealthController {
  constructor(private readonly readiness: Readiness) {}

  @Get('live')
  @Endpoint({
    id: 'isLive',
    summary: 'Checks that the process responds',
    description:
      'Checks nothing else, such as the database: a process that does not respond should be restarted.',
    returns: { type: HealthDto, description: 'The process responds.' },
    errors: 'none',
  })
  live(): HealthDto {
    return { status: 'ok' };
  }

  @Get('ready')
  @Endpoint({
    id: 'isReady',
    summary: 'Checks that the service can serve requests',
    description:
      'Checks the database. While this fails, a load balancer should send requests elsewhere. A degraded service still reads.',
    returns: { type: HealthDto, description: 'The service can serve requests.' },
    errors: 'none',
  })
  async ready(): Promise<HealthDto> {
    return this.readiness.check();
  }
}

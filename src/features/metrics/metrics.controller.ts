import { Controller, Get, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { InOutages, RequireScope } from '../../kernel/auth/access.decorators.js';
import { Endpoint } from '../../kernel/openapi/endpoint.decorator.js';
import { Metrics } from './metrics.js';

const EXAMPLE = `# HELP plant_store_write_queue_length Writes that wait for the database.
# TYPE plant_store_write_queue_length gauge
plant_store_write_queue_length 0
`;

@ApiTags('metrics')
@Controller('metrics')
export class MetricsController {
  constructor(private readonly metrics: Metrics) {}

  /** Reads all metrics, also while the database is away. */
  @Get()
  @RequireScope('metrics:read')
  @InOutages()
  @Endpoint({
    id: 'readMetrics',
    summary: 'Read the metrics',
    description:
      'Returns the metrics of this instance in the text format of Prometheus (version 0.0.4). Changes nothing. It works while the ' +
      'database is away, for a token that was valid within the last hour.',
    returns: {
      description: 'The metrics.',
      content: { 'text/plain': { schema: { type: 'string', example: EXAMPLE } } },
    },
  })
  async read(@Res() response: Response): Promise<void> {
    response.type('text/plain; version=0.0.4').send(await this.metrics.read());
  }
}

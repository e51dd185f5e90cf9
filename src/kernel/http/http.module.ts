import { type DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_PIPE, DiscoveryModule } from '@nestjs/core';
import { RateLimitGuard } from '../auth/rate-limiter.js';
import type { Settings } from '../config/settings.js';
import { prefersStrict } from '../logging/request-context.js';
import { ErrorFilter } from './pipeline/error.filter.js';
import { HandlerCheck } from './pipeline/handler-check.js';
import { DtoValidationPipe } from '../validation/validation.pipe.js';
import { JsonBodyGuard } from './body/read-body.js';

/** What every route goes through after authentication: the rate limit, its JSON body, validation, errors. */
@Module({})
export class HttpModule {
  static forRoot({ rateLimit }: Settings): DynamicModule {
    const limit = rateLimit && { provide: APP_GUARD, useFactory: () => new RateLimitGuard(rateLimit) };
    return {
      module: HttpModule,
      imports: [DiscoveryModule],
      providers: [
        // Before the body is read.
        ...(limit ? [limit] : []),
        { provide: APP_GUARD, useClass: JsonBodyGuard },
        HandlerCheck,
        { provide: APP_PIPE, useFactory: () => new DtoValidationPipe(prefersStrict) },
        { provide: APP_FILTER, useFactory: () => new ErrorFilter() },
      ],
    };
  }
}

import { Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_PIPE } from '@nestjs/core';
import { ErrorFilter } from './pipeline/error.filter.js';
import { DtoValidationPipe } from '../validation/validation.pipe.js';
import { JsonBodyGuard } from './body/json-body.guard.js';

/** What every route goes through behind authentication: its JSON body, validation, errors. */
@Module({
  providers: [
    { provide: APP_GUARD, useClass: JsonBodyGuard },
    { provide: APP_PIPE, useFactory: () => new DtoValidationPipe('The body') },
    { provide: APP_FILTER, useFactory: () => new ErrorFilter() },
  ],
})
export class HttpModule {}

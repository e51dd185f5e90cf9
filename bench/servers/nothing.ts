/** NestJS with two routes that check the token and store nothing: the cost of the framework alone. */
import {
  Body,
  type CanActivate,
  Controller,
  type ExecutionContext,
  Get,
  HttpCode,
  Module,
  Param,
  Post,
} from '@nestjs/common';
import { APP_GUARD, NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Request } from 'express';
import type { NewPlant } from './limit/serve.js';

const { BENCH_PORT, BENCH_TOKEN } = process.env;

class TokenGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { headers } = context.switchToHttp().getRequest<Request>();
    return headers.authorization === `Bearer ${BENCH_TOKEN}`;
  }
}

@Controller('plants')
class PlantsController {
  @Post()
  @HttpCode(200)
  async create(@Body() { name, tag }: NewPlant) {
    return { name, tag };
  }

  @Get(':id')
  async find(@Param('id') id: string) {
    return { id: Number(id), name: 'Monstera deliciosa', tag: 'houseplant' };
  }
}

@Module({ controllers: [PlantsController], providers: [{ provide: APP_GUARD, useClass: TokenGuard }] })
class NothingModule {}

const app = await NestFactory.create<NestExpressApplication>(NothingModule, { logger: ['error'] });
app.disable('etag');
await app.listen(Number(BENCH_PORT), '127.0.0.1');

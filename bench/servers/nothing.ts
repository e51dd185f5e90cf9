/**
 * Routes that check the token and respond with what they were sent, on Express alone or on NestJS (`BENCH_FRAMEWORK=NestJS`). They store
 * nothing, so this is what the frameworks take before a service does anything.
 */
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
import express, { type Request } from 'express';
import type { NewPlant } from './limit/serve.js';

const { BENCH_FRAMEWORK, BENCH_PORT, BENCH_TOKEN } = process.env;

function isAllowed({ headers }: Request): boolean {
  return headers.authorization === `Bearer ${BENCH_TOKEN}`;
}

function found(id: string) {
  return { id: Number(id), name: 'Monstera deliciosa', tag: 'houseplant' };
}

class TokenGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    return isAllowed(context.switchToHttp().getRequest());
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
    return found(id);
  }
}

@Module({ controllers: [PlantsController], providers: [{ provide: APP_GUARD, useClass: TokenGuard }] })
class NothingModule {}

async function serveNest(): Promise<void> {
  const app = await NestFactory.create<NestExpressApplication>(NothingModule, { logger: ['error'] });
  app.disable('etag');
  await app.listen(Number(BENCH_PORT), '127.0.0.1');
}

function serveExpress(): void {
  const app = express();
  app.disable('etag');
  app.use((request, response, next) => (isAllowed(request) ? next() : response.sendStatus(401)));
  app.post('/plants', express.json(), (request: Request<object, object, NewPlant>, response) => {
    const { name, tag } = request.body;
    response.json({ name, tag });
  });
  app.get('/plants/:id', ({ params }, response) => response.json(found(params.id)));
  app.listen(Number(BENCH_PORT), '127.0.0.1');
}

if (BENCH_FRAMEWORK === 'NestJS') await serveNest();
else serveExpress();

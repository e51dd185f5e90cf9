/**
 * The service as the documentation of its libraries would have it: NestJS on Express, ValidationPipe, the Passport guard
 * on the handler, and `repository.insert()`, `findOneBy()` and `find()`; on SQLite or PostgreSQL, with the same durability as the others.
 */
import {
  Body,
  Controller,
  Get,
  HttpCode,
  Injectable,
  Module,
  NotFoundException,
  Param,
  ParseIntPipe,
  Post,
  Query,
  UseGuards,
  ValidationPipe,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AuthGuard, PassportModule, PassportStrategy } from '@nestjs/passport';
import { InjectRepository, TypeOrmModule, type TypeOrmModuleOptions } from '@nestjs/typeorm';
import type BetterSqlite3 from 'better-sqlite3';
import { IsInt, IsOptional, IsString } from 'class-validator';
import { Strategy } from 'passport-http-bearer';
import { Column, Entity, MoreThan, PrimaryColumn, type Repository } from 'typeorm';

const { BENCH_DATABASE = '', BENCH_PORT, BENCH_TOKEN } = process.env;
const isPostgres = BENCH_DATABASE.startsWith('postgres:');

const connection: TypeOrmModuleOptions = isPostgres
  ? { type: 'postgres', url: BENCH_DATABASE }
  : {
      type: 'better-sqlite3',
      database: BENCH_DATABASE.replace('sqlite:', ''),
      enableWAL: true,
      prepareDatabase: (database: BetterSqlite3.Database) => void database.pragma('synchronous = FULL'),
    };

@Entity('plants')
class Plant {
  // SQLite holds 64 bits in an `integer`, and only that is its rowid; PostgreSQL holds 32.
  @PrimaryColumn(isPostgres ? 'bigint' : 'integer')
  id: number;

  @Column('text')
  name: string;

  @Column('text', { nullable: true })
  tag: string | null;
}

class NewPlantDto {
  @IsInt()
  id: number;

  @IsString()
  name: string;

  @IsOptional()
  @IsString()
  tag?: string;
}

@Injectable()
class BearerStrategy extends PassportStrategy(Strategy) {
  validate(token: string) {
    return token === BENCH_TOKEN ? { name: 'client' } : false;
  }
}

@Injectable()
class PlantsService {
  constructor(@InjectRepository(Plant) private readonly plants: Repository<Plant>) {}

  async find(id: number) {
    const plant = await this.plants.findOneBy({ id });
    if (plant === null) throw new NotFoundException();
    return plant;
  }

  async list(limit: number, after: number) {
    return this.plants.find({ where: { id: MoreThan(after) }, order: { id: 'ASC' }, take: limit });
  }

  async create({ id, name, tag }: NewPlantDto) {
    await this.plants.insert({ id, name, tag: tag ?? null });
    return { name, tag };
  }
}

@Controller('plants')
class PlantsController {
  constructor(private readonly plants: PlantsService) {}

  @Get()
  @UseGuards(AuthGuard('bearer'))
  list(@Query('limit', ParseIntPipe) limit: number, @Query('after', ParseIntPipe) after: number) {
    return this.plants.list(limit, after);
  }

  @Get(':id')
  @UseGuards(AuthGuard('bearer'))
  find(@Param('id', ParseIntPipe) id: number) {
    return this.plants.find(id);
  }

  @Post()
  @HttpCode(200)
  @UseGuards(AuthGuard('bearer'))
  create(@Body() newPlant: NewPlantDto) {
    return this.plants.create(newPlant);
  }
}

@Module({
  imports: [
    PassportModule,
    TypeOrmModule.forRoot({ ...connection, entities: [Plant], synchronize: true }),
    TypeOrmModule.forFeature([Plant]),
  ],
  controllers: [PlantsController],
  providers: [PlantsService, BearerStrategy],
})
class TextbookModule {}

const app = await NestFactory.create(TextbookModule, { logger: ['error'] });
app.useGlobalPipes(new ValidationPipe({ transform: true }));
await app.listen(Number(BENCH_PORT), '127.0.0.1');

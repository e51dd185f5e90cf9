/**
 * The service as the documentation of its libraries shows it: NestJS on Express, ValidationPipe, the Passport guard and a TypeORM
 * repository, on SQLite or PostgreSQL, with the same durability as the others.
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

@Controller('plants')
@UseGuards(AuthGuard('bearer'))
class PlantsController {
  constructor(@InjectRepository(Plant) private readonly plants: Repository<Plant>) {}

  @Get()
  list(@Query('limit', ParseIntPipe) limit: number, @Query('after', ParseIntPipe) after: number) {
    return this.plants.find({ where: { id: MoreThan(after) }, order: { id: 'ASC' }, take: limit });
  }

  @Get(':id')
  async find(@Param('id', ParseIntPipe) id: number) {
    const plant = await this.plants.findOneBy({ id });
    if (plant === null) throw new NotFoundException();
    return plant;
  }

  @Post()
  @HttpCode(200)
  async create(@Body() { id, name, tag }: NewPlantDto) {
    await this.plants.insert({ id, name, tag: tag ?? null });
    return { name, tag };
  }
}

@Module({
  imports: [
    PassportModule,
    TypeOrmModule.forRoot({ ...connection, entities: [Plant], synchronize: true }),
    TypeOrmModule.forFeature([Plant]),
  ],
  controllers: [PlantsController],
  providers: [BearerStrategy],
})
class TextbookModule {}

const app = await NestFactory.create(TextbookModule, { logger: ['error'] });
app.useGlobalPipes(new ValidationPipe({ transform: true }));
await app.listen(Number(BENCH_PORT), '127.0.0.1');

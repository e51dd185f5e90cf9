import {
  Body,
  type CallHandler,
  ClassSerializerInterceptor,
  ConflictException,
  Controller,
  type ExecutionContext,
  Get,
  type NestInterceptor,
  Param,
  ParseIntPipe,
  Post,
  Query,
  type Type,
} from '@nestjs/common';
import { APP_INTERCEPTOR } from '@nestjs/core';
import { PartialType } from '@nestjs/swagger';
import { Transform, Type as TypeOf } from 'class-transformer';
import { IsArray, IsDate, IsInt, IsOptional, IsString, Max, ValidateNested } from 'class-validator';
import { map, type Observable } from 'rxjs';
import { Column, CreateDateColumn, Entity, ManyToOne, PrimaryColumn } from 'typeorm';
import { describe, expect, inject, test } from 'vitest';
import { assertResources, RESOURCES } from '../src/app.module.js';
import { Public, RequireScope } from '../src/kernel/auth/access.decorators.js';
import { int64 } from '../src/kernel/database/column-types.js';
import { dataSourceOptions } from '../src/kernel/database/data-source-options.js';
import { openDataSource } from '../src/kernel/database/open-data-source.js';
import { ownErrorValue } from '../src/kernel/errors/error-value.js';
import { IsCalendarDay, IsTimestamp, MayBeAbsent } from '../src/kernel/validation/decorators.js';
import { Plant } from '../src/plants/plant.entity.js';
import { emptyDatabase } from './support/database.js';
import { extend, failedStart, startService, TOKEN } from './support/service.js';
import { readSettings } from './support/settings.js';

/** What a team would write without having read CONTRIBUTING.md. */
class Bare {
  text: string;
}

class Nullable {
  @IsOptional()
  @IsString()
  text?: string;
}

class Dated {
  @TypeOf(() => Date)
  @IsDate()
  at: Date;
}

class Outer {
  @ValidateNested()
  @TypeOf(() => Bare)
  inner: Bare;
}

class Comment {
  @IsString()
  text: string;

  @MayBeAbsent()
  @IsInt()
  @Max(5)
  stars?: number;

  @MayBeAbsent()
  @IsArray()
  @IsString({ each: true })
  labels?: string[];

  @MayBeAbsent()
  @IsCalendarDay()
  day?: string;

  @MayBeAbsent()
  @IsTimestamp()
  at?: Date;
}

class CommentPatch extends PartialType(Comment) {}

function controllerOf(decorate: ParameterDecorator, type: unknown, ...scopes: string[]): Type<object> {
  @Controller('comments')
  @RequireScope(...scopes)
  class CommentsController {
    @Post()
    add(comment: unknown): unknown {
      return comment;
    }
  }
  const { prototype } = CommentsController;
  Reflect.defineMetadata('design:paramtypes', [type], prototype, 'add');
  decorate(prototype, 'add', 0);
  return CommentsController;
}

const IS_POSTGRES = inject('database') === 'postgres';

// No database has a part in it.
test.skipIf(IS_POSTGRES).for<[string, ParameterDecorator, unknown, RegExp]>([
  [
    '@Body() with a name',
    Body('text'),
    String,
    /add takes @Body\('text'\) unchecked: write @Body\(\) with a class/,
  ],
  ['a record', Body(), Object, /Object has no validators/],
  ['an array', Body(), Array, /Array has no validators/],
  ['a DTO without validators', Body(), Bare, /Bare has no validators/],
  ['a DTO with one inside', Body(), Outer, /Bare has no validators/],
  [
    'a field that lets null in',
    Body(),
    Nullable,
    /Nullable\.text lets null in by @IsOptional\(\): use @MayBeAbsent\(\)/,
  ],
  ['a patch that lets null in', Body(), CommentPatch, /use @MayBeAbsent\(\), or MergePatchType\(\)/],
  [
    'a date made of anything',
    Body(),
    Dated,
    /Dated\.at takes anything for a Date by @Type\(\): use @IsTimestamp\(\)/,
  ],
  ['a query parameter by name', Query('tag'), String, /add takes @Query\('tag'\) unchecked/],
  ['a query without validators', Query(), Object, /Object has no validators/],
  ['all of a path', Param(), Bare, /add takes @Param\(\) unchecked: write @Param\(\) with the name/],
])('a handler that takes %s does not start', async ([, decorate, type, message]) => {
  extend('controllers', controllerOf(decorate, type));
  const { url } = await emptyDatabase();

  expect(await failedStart({ DATABASE_URL: url, BOOTSTRAP_TOKEN: TOKEN })).toMatch(message);
});

test('a handler with a scope that no module declares does not start', async () => {
  extend('controllers', controllerOf(Body(), Comment, 'comments:write'));
  const { url } = await emptyDatabase();

  expect(await failedStart({ DATABASE_URL: url, BOOTSTRAP_TOKEN: TOKEN })).toMatch(
    'CommentsController.add requires comments:write, which nobody can have',
  );
});

test('an error value of a feature is its alone', () => {
  const value = ownErrorValue(40_977);

  for (const taken of [value, 40_904, 40_401])
    expect(() => ownErrorValue(taken)).toThrow(`The error value ${taken} is taken`);
});

class Page {
  @Transform(({ value }) => Number(value))
  @IsInt()
  number: number;
}

@Public()
@Controller('comments')
class CommentsController {
  @Post()
  add(@Body() comment: Comment): Comment {
    return comment;
  }

  @Get('of/:id')
  find(@Param('id', ParseIntPipe) id: number): number {
    return id;
  }

  @Get('any/:id')
  any(@Param('id', ParseIntPipe) id: unknown): unknown {
    return id;
  }

  @Get('page')
  page(@Query() { number }: Page): number {
    return number;
  }

  @Get('by/:name')
  by(@Param('name') name: string): string {
    return name;
  }

  @Get('closed')
  closed(): never {
    throw new ConflictException('Comments are closed.');
  }
}

describe('what a team adds', () => {
  const BODIES: readonly (readonly [
    what: string,
    body: object | string,
    status: number,
    message?: string | RegExp,
  ])[] = [
    ['a valid body', { text: 'x', day: '2024-02-29', labels: ['a'] }, 201],
    ['a lone surrogate', '{"text":"\\ud800"}', 400, 'text must have no lone surrogates and no U+0000.'],
    ['U+0000', { text: 'a\0' }, 400, 'text must have no lone surrogates and no U+0000.'],
    [
      'U+0000 in a list',
      { text: '', labels: ['\0'] },
      400,
      'labels.0 must have no lone surrogates and no U+0000.',
    ],
    ['null for a number', { text: '', stars: null }, 400, 'stars must not be null.'],
    ['a day that is none', { text: '', day: '2025-02-30' }, 400, /^day must be a day of the calendar/],
    [
      'a day with a time',
      { text: '', day: '2025-02-03T00:00:00Z' },
      400,
      /^day must be a day of the calendar/,
    ],
    ['a moment that is none', { text: '', at: '2025-02-30' }, 400, /^at must be a time/],
    ['a number for a moment', { text: '', at: 5 }, 400, /^at must be a time/],
  ];

  const PATHS = [
    ['of/9007199254740991', 200, undefined],
    ['of/9007199254740993', 400, 40002],
    ['of/-9007199254740992', 400, 40002],
    ['of/1e400', 400, 40002],
    ['any/9007199254740993', 400, 40002],
    ['any/7', 200, undefined],
    ['page?number=9007199254740993', 400, 40002],
    ['page?number=7', 200, undefined],
    ['by/%00', 400, 40002],
    ['closed', 409, 40999],
  ] as const;

  test('is exact, rounds nothing and hides nothing', async () => {
    extend('controllers', CommentsController);
    const service = await startService();

    for (const [what, body, status, message] of BODIES) {
      const answer = await service.send('POST', '/comments', { body });
      expect.soft(answer.status, what).toBe(status);
      if (message instanceof RegExp)
        expect.soft((answer.body as { message: string }).message).toMatch(message);
      else if (message !== undefined) expect.soft(answer.body).toEqual({ error: 40001, message });
    }
    for (const [path, status, error] of PATHS) {
      const answer = await service.send('GET', `/comments/${path}`);
      expect.soft(answer.status, path).toBe(status);
      expect.soft((answer.body as { error?: number }).error).toBe(error);
      if (path === 'closed') expect(answer.body).toMatchObject({ message: 'Comments are closed.' });
    }
    const { text } = await service.request('/openapi.json');
    expect(text).toContain('"description":"Needs no access token."');
    expect(text).not.toContain('undefined');
  });

  class Envelope implements NestInterceptor {
    intercept(_context: ExecutionContext, next: CallHandler): Observable<unknown> {
      return next.handle().pipe(map((data: unknown) => ({ data, copy: { ...Object(data) } as unknown })));
    }
  }

  test('puts lists into an envelope, exactly', async () => {
    extend('providers', { provide: APP_INTERCEPTOR, useClass: Envelope });
    const service = await startService();
    await service.create('{"id":9007199254740993,"name":"Aloe"}');

    const { text } = await service.send('GET', '/plants');

    const list = '[{"id":9007199254740993,"name":"Aloe"';
    expect(text.startsWith(`{"data":${list}`)).toBe(true);
    expect(text).toContain(`"copy":${list}`);
  });

  test('is told at the first list why it cannot be serialized as a class', async () => {
    extend('providers', { provide: APP_INTERCEPTOR, useClass: ClassSerializerInterceptor });
    const service = await startService();

    expect((await service.send('GET', '/plants')).status).toBe(500);
    expect(service.log.join('')).toContain('A list is JSON already. Give ClassSerializerInterceptor');
  });
});

describe('the columns of an entity', () => {
  @Entity('notes')
  class Note {
    @PrimaryColumn('bigint', { transformer: int64 })
    id: bigint;

    @Column('text')
    text: string;
  }

  @Entity('moments')
  class Moment {
    @PrimaryColumn('integer')
    id: number;

    @CreateDateColumn()
    at: Date;
  }

  @Entity('notes')
  class PlantNote {
    @PrimaryColumn('text')
    id: string;

    @ManyToOne(() => Plant, { cascade: true })
    plant: Plant;
  }

  const open = async (entity: Type<object>, sql: string) => {
    const database = await emptyDatabase();
    await database.execute(sql);
    const settings = readSettings({ DATABASE_URL: database.url });
    const entities = [entity, ...Array.from(RESOURCES.values(), (resource) => resource.entity)];
    const dataSource = await openDataSource(
      settings,
      { ...dataSourceOptions(settings), entities },
      'all',
      assertResources,
    );
    await dataSource.destroy();
  };

  test.for<[string, Type<object>, string, string | undefined]>([
    ['are as declared', Note, 'CREATE TABLE notes (id BIGINT PRIMARY KEY, text TEXT)', undefined],
    ['cascade to plants', PlantNote, '', 'PlantNote.plant must not cascade to Plant'],
    ['have no table', Note, 'CREATE TABLE others (id BIGINT)', 'has no table notes of Note'],
    ['are missing', Note, 'CREATE TABLE notes (id BIGINT PRIMARY KEY)', 'has no column notes.text of Note'],
    [
      'have another type',
      Note,
      `CREATE TABLE notes (id BIGINT PRIMARY KEY, text ${IS_POSTGRES ? 'date' : 'REAL'})`,
      `has notes.text as ${IS_POSTGRES ? 'date' : 'REAL'}, but Note declares it as text.`,
    ],
    [
      'depend on a time zone',
      Moment,
      `CREATE TABLE moments (id INTEGER PRIMARY KEY, at ${IS_POSTGRES ? 'timestamp' : 'TEXT'})`,
      IS_POSTGRES ? 'which every time zone reads differently' : undefined,
    ],
  ])('are compared with those of the database at the start: they %s', async ([, entity, sql, problem]) => {
    if (problem === undefined) await expect(open(entity, sql)).resolves.toBeUndefined();
    else await expect(open(entity, sql)).rejects.toThrow(problem);
  });
});

const MISSPELT = [
  ['POST', '/plants', { id: 2, name: 'Aloe', nmae: 'x' }, 'nmae is unknown.'],
  ['PATCH', '/plants/1', { nmae: 'x' }, 'nmae is unknown.'],
  ['PUT', '/plants/1', { name: 'x', tags: [] }, 'tags is unknown.'],
  [
    'POST',
    '/plants/batch',
    { operations: [{ kind: 'patch', id: 1, body: { nmae: 'x' } }] },
    'Operation 1: nmae is unknown.',
  ],
] as const;

test('a misspelt field is refused if the client prefers it, and else ignored', async () => {
  const service = await startService();
  await service.create({ id: 1, name: 'Aloe' });
  const headers = { Prefer: 'respond-async, handling=strict' };

  for (const [method, path, body, message] of MISSPELT) {
    const strict = await service.send(method, path, { body, headers });
    expect.soft(strict).toMatchObject({ status: 400, body: { error: 40001, message } });
    expect.soft((await service.send(method, path, { body })).status).toBe(200);
  }
});

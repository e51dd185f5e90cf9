import type { Type } from '@nestjs/common';
import { Exclude, Expose, Transform, Type as TypeOf } from 'class-transformer';
import { IsInt, IsOptional, IsString, ValidateBy, ValidateNested } from 'class-validator';
import { describe, expect, test } from 'vitest';
import { NewPlantDto } from '../plants/dto/new-plant.dto.js';
import { compileDto } from './compiled-dto.js';
import { DtoValidationPipe } from './validation.pipe.js';

class Pot {
  @IsInt()
  size: number;
}

class Nested {
  @ValidateNested()
  @TypeOf(() => Pot)
  pot: Pot;
}

class Each {
  @IsString({ each: true })
  names: string[];
}

class Grouped {
  @IsString({ groups: ['later'] })
  name: string;
}

class Transformed {
  @Transform(({ value }: { value: unknown }) => `${String(value)}!`)
  @IsString()
  name: string;
}

class Renamed {
  @Expose({ name: 'title' })
  @IsString()
  name: string;
}

class Hidden {
  @Exclude()
  @IsOptional()
  @IsString()
  name?: string;
}

class Inherited extends Renamed {
  @IsOptional()
  @IsString()
  tag?: string;
}

class Worded {
  @IsString({ message: 'in other words' })
  name: string;
}

class CheckedLater {
  @ValidateBy({ name: 'later', validator: { validate: async (value) => Promise.resolve(value === 'right') } })
  name: string;
}

/** A class without any decorator of class-validator. */
class Bare {
  name: string;
}

async function validate(
  dto: Type<object>,
  value: Record<string, unknown>,
  type: 'body' | 'query' = 'body',
): Promise<unknown> {
  return new DtoValidationPipe('The body').transform(value, { type, metatype: dto });
}

describe('a compiled DTO', () => {
  test('makes of a body what the class declares, and nothing that is inherited', () => {
    const dto = compileDto(NewPlantDto);

    const body = Object.assign(Object.create({ tag: 'inherited' }), { id: 7, name: 'Aloe', unknown: true });
    const made = dto?.make(body as Record<string, unknown>);

    expect(made).toBeInstanceOf(NewPlantDto);
    expect(made).toEqual(Object.assign(new NewPlantDto(), { id: 7n, name: 'Aloe' }));
    expect(compileDto(Transformed)?.make({ name: 'Aloe' })).toEqual({ name: 'Aloe!' });
  });

  test.for([
    [{ id: 7, name: 'Aloe' }, true],
    [{ id: 7, name: null }, false],
    [{ name: 'Aloe' }, false],
  ] as const)('knows whether it is valid: %o', ([body, valid]) => {
    const dto = compileDto(NewPlantDto);

    expect(dto?.isValid(dto.make({ ...body }))).toBe(valid);
  });

  test.for([
    ['nested objects', Nested],
    ['lists', Each],
    ['groups', Grouped],
    ['members of another name', Renamed],
    ['members that are left out', Hidden],
    ['such members in a class that it extends', Inherited],
    ['nothing at all', Bare],
  ] as const)('does not exist for classes with %s', ([, dto]) => {
    expect(compileDto(dto)).toBeUndefined();
  });

  test('exists for classes with messages of their own', async () => {
    expect(compileDto(Worded)).toBeDefined();
    await expect(validate(Worded, {})).rejects.toThrow('The body is not valid: in other words.');
  });

  test('does not take a promise for a yes', () => {
    const dto = compileDto(CheckedLater);

    expect(dto?.isValid(dto.make({ name: 'wrong' }))).toBe(false);
  });
});

describe('the validation', () => {
  test('names what is wrong inside of members', async () => {
    await expect(validate(Nested, { pot: { size: 'big' } })).rejects.toThrow(
      'The body is not valid: pot.size must be an integer number.',
    );
  });

  test.for([
    [Nested, { pot: { size: 1 } }, { pot: { size: '1' } }],
    [Each, { names: ['a'] }, { names: ['a', 1] }],
    [Renamed, { title: 'a' }, { name: 'a' }],
    [Inherited, { title: 'a', tag: 'b' }, { title: 'a', tag: 1 }],
    [CheckedLater, { name: 'right' }, { name: 'wrong' }],
  ] as const)('is full where a compiled DTO is not enough: %o', async ([dto, valid, invalid]) => {
    expect(await validate(dto, valid)).toBeInstanceOf(dto);
    await expect(validate(dto, invalid)).rejects.toMatchObject({ error: 40001 });
  });

  test('knows what decorators rename and leave out', async () => {
    expect(await validate(Renamed, { title: 'a' })).toEqual({ name: 'a' });
    expect(await validate(Hidden, { name: 1 })).toEqual({});
  });

  test.for([
    ['not compiled', Renamed, {}, 'name must be a string'],
    ['not compiled', Each, { names: ['a', 1] }, 'each value in names must be a string'],
    ['compiled', NewPlantDto, { id: 1 }, 'name must be a string of Unicode characters other than U+0000'],
  ] as const)('of a query whose DTO is %s names a parameter', async ([, dto, query, problem]) => {
    await expect(validate(dto, { ...query }, 'query')).rejects.toMatchObject({
      error: 40002,
      message: `A parameter is not valid: ${problem}.`,
    });
  });
});

import type { Type } from '@nestjs/common';
import { Transform, Type as TypeOf } from 'class-transformer';
import { IsInt, IsString, ValidateBy, ValidateNested } from 'class-validator';
import { describe, expect, test } from 'vitest';
import { NewPlantDto } from '../plants/dto/new-plant.dto.js';
import { compileFastPath } from './fast-path.js';
import { BodyValidationPipe } from './validation.pipe.js';

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

class CheckedLater {
  @ValidateBy({ name: 'later', validator: { validate: async (value) => Promise.resolve(value === 'right') } })
  name: string;
}

/** A class without any decorator of class-validator. */
class Bare {
  name: string;
}

async function validate(dto: Type<object>, body: object): Promise<unknown> {
  return new BodyValidationPipe().transform(body, { type: 'body', metatype: dto });
}

describe('the fast path', () => {
  test('makes the same of a valid body as the full validation', async () => {
    const body = { id: 7, name: 'Aloe', unknown: true, __proto__: { tag: 'inherited' } };

    const fast = compileFastPath(NewPlantDto)?.(body);

    expect(fast).toBeInstanceOf(NewPlantDto);
    expect({ ...fast }).toEqual({ id: 7n, name: 'Aloe' });
    expect(compileFastPath(Transformed)?.({ name: 'Aloe' })).toEqual({ name: 'Aloe!' });
  });

  test('leaves bodies that are not valid to the full validation', () => {
    expect(compileFastPath(NewPlantDto)?.({ id: 7, name: null })).toBeUndefined();
    expect(compileFastPath(NewPlantDto)?.({ name: 'Aloe' })).toBeUndefined();
  });

  test.for([
    ['nested objects', Nested],
    ['lists', Each],
    ['groups', Grouped],
    ['nothing at all', Bare],
  ] as const)('does not exist for classes with %s', ([, dto]) => {
    expect(compileFastPath(dto)).toBeUndefined();
  });

  test('does not take a promise for a yes', () => {
    expect(compileFastPath(CheckedLater)?.({ name: 'wrong' })).toBeUndefined();
  });
});

describe('the validation of bodies', () => {
  test('names what is wrong inside of members', async () => {
    await expect(validate(Nested, { pot: { size: 'big' } })).rejects.toThrow(
      'The body is not valid: pot.size must be an integer number.',
    );
  });

  test.for([
    [Nested, { pot: { size: 1 } }, { pot: { size: '1' } }],
    [Each, { names: ['a'] }, { names: ['a', 1] }],
    [CheckedLater, { name: 'right' }, { name: 'wrong' }],
  ] as const)('is full where there is no fast path: %o', async ([dto, valid, invalid]) => {
    expect(await validate(dto, valid)).toBeInstanceOf(dto);
    await expect(validate(dto, invalid)).rejects.toMatchObject({ error: 40001 });
  });
});

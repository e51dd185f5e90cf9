import { Exclude, Expose, Transform, Type as TypeOf } from 'class-transformer';
import { IsInt, IsOptional, IsString, ValidateBy, ValidateNested } from 'class-validator';
import { describe, expect, test } from 'vitest';
import { NewPlantDto } from '../../plants/dto/plant.dto.js';
import { IsTimestamp } from './decorators.js';
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

class Inherited extends Renamed {
  @IsOptional()
  @IsString()
  tag?: string;
}

class Hidden {
  @Exclude()
  @IsOptional()
  @IsString()
  name?: string;
}

class CheckedLater {
  @ValidateBy({ name: 'later', validator: { validate: async (value) => Promise.resolve(value === 'right') } })
  name: string;
}

class Appointment {
  @IsTimestamp()
  at: Date;
}

/** A class without any decorator of class-validator. */
class Bare {
  name: string;
}

const pipe = new DtoValidationPipe();

describe('a DTO', () => {
  test.for([
    [NewPlantDto, { id: 7, name: 'Aloe', unknown: true }, { id: 7n, name: 'Aloe' }],
    [Transformed, { name: 'a' }, { name: 'a!' }],
    [Nested, { pot: { size: 1 }, unknown: true }, { pot: { size: 1 } }],
    [Each, { names: ['a'] }, { names: ['a'] }],
    [Renamed, { title: 'a' }, { name: 'a' }],
    [Inherited, { title: 'a', tag: 'b' }, { name: 'a', tag: 'b' }],
    [Hidden, { name: 1 }, {}],
    [CheckedLater, { name: 'right' }, { name: 'right' }],
    [Object, { any: 'thing' }, { any: 'thing' }],
  ] as const)('is made as its decorators say: %o', async ([metatype, body, made]) => {
    const result = await pipe.transform(body, { type: 'body', metatype });

    expect(result).toBeInstanceOf(metatype);
    expect({ ...(result as object) }).toEqual(made);
  });

  test.for([
    [NewPlantDto, { id: 1 }, 'name is missing'],
    [NewPlantDto, Object.create({ id: 1, name: 'inherited' }), 'id is missing; name is missing'],
    [Nested, { pot: { size: 'big' } }, 'pot.size must be an integer number'],
    [Each, { names: ['a', 1] }, 'each value in names must be a string'],
    [Nested, { pot: {} }, 'pot.size is missing'],
    [Renamed, { name: 'a' }, 'name is missing'],
    [Inherited, { title: 'a', tag: 1 }, 'tag must be a string'],
    [CheckedLater, { name: 'wrong' }, ''],
    [Bare, { name: 'a' }, ''],
  ] as const)('is refused with each problem: %o', async ([metatype, wrong, problem]) => {
    const body = pipe.transform(wrong as Record<string, unknown>, { type: 'body', metatype });
    const query = pipe.transform(wrong as Record<string, unknown>, { type: 'query', metatype });

    await expect(body).rejects.toMatchObject({
      error: 40001,
      message: expect.stringContaining(problem),
    });
    await expect(query).rejects.toMatchObject({
      error: 40002,
      message: expect.stringContaining(`A parameter is not valid: ${problem}`),
    });
  });
});

test.for([
  ['its checks alone', NewPlantDto, { id: 7, name: 'Aloe' }],
  ['the checks of its members', Nested, { pot: { size: 1 } }],
] as const)('a query that is a DTO with %s has no other members', async ([, metatype, members]) => {
  const query = { type: 'query', metatype } as const;

  await expect(pipe.transform({ ...members }, query)).resolves.toBeInstanceOf(metatype);
  await expect(pipe.transform({ ...members, nmae: 'A' }, query)).rejects.toMatchObject({
    error: 40002,
    message: 'A parameter is not valid: nmae is unknown.',
  });
});

describe('a timestamp', () => {
  const timeOf = async (at: unknown) =>
    (await pipe.transform({ at }, { type: 'body', metatype: Appointment })) as Appointment;

  test.for([
    ['2026-03-01t08:30:00.5z', '2026-03-01T08:30:00.500Z'],
    ['2026-03-01T00:30:00.123000+02:00', '2026-02-28T22:30:00.123Z'],
    ['2024-02-29T23:59:59-23:59', '2024-03-01T23:58:59.000Z'],
  ] as const)('%s is %s', async ([text, time]) => {
    expect((await timeOf(text)).at.toISOString()).toBe(time);
  });

  test.for([
    ['a date', '2026-03-01'],
    ['without an offset', '2026-03-01T08:30:00'],
    ['on a day that does not exist', '2026-02-30T08:30:00Z'],
    ['at an hour that does not exist', '2026-03-01T24:00:00Z'],
    ['after the year 9999', '9999-12-31T23:59:59-00:01'],
    ['a number', 0],
    ['null', null],
  ] as const)('is refused when it is %s', async ([, value]) => {
    await expect(timeOf(value)).rejects.toThrow('at must be a time');
  });
});

import { describe, expect, test } from 'vitest';
import { IsTimestamp } from './is-timestamp.js';
import { DtoValidationPipe } from './validation.pipe.js';

class Appointment {
  @IsTimestamp()
  at: Date;
}

const pipe = new DtoValidationPipe('The body');

async function timeOf(at: unknown): Promise<string> {
  const made = await pipe.transform({ at }, { type: 'body', metatype: Appointment });
  return (made as Appointment).at.toISOString();
}

describe('a timestamp', () => {
  test.for([
    ['2026-03-01T08:30:00Z', '2026-03-01T08:30:00.000Z'],
    ['2026-03-01t08:30:00.5z', '2026-03-01T08:30:00.500Z'],
    ['2026-03-01T00:30:00.123000+02:00', '2026-02-28T22:30:00.123Z'],
    ['2024-02-29T23:59:59-23:59', '2024-03-01T23:58:59.000Z'],
    ['0000-01-01T00:00:00Z', '0000-01-01T00:00:00.000Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
  ] as const)('%s is %s', async ([text, time]) => {
    expect(await timeOf(text)).toBe(time);
  });

  test.for([
    ['a date', '2026-03-01'],
    ['without an offset', '2026-03-01T08:30:00'],
    ['on a day that there is not', '2026-02-30T08:30:00Z'],
    ['in a month that there is not', '2026-13-01T08:30:00Z'],
    ['at an hour that there is not', '2026-03-01T24:00:00Z'],
    ['at a leap second', '2016-12-31T23:59:60Z'],
    ['finer than a millisecond', '2026-03-01T08:30:00.0001Z'],
    ['before the year 0', '0000-01-01T00:00:00+00:01'],
    ['after the year 9999', '9999-12-31T23:59:59-00:01'],
    ['a number', 0],
    ['absent', undefined],
    ['null', null],
  ] as const)('is refused when it is %s', async ([, value]) => {
    await expect(timeOf(value)).rejects.toMatchObject({
      error: 40001,
      message: expect.stringContaining('at must be a time'),
    });
  });
});

import { ApiProperty } from '@nestjs/swagger';
import { IsString } from 'class-validator';
import { expect, test } from 'vitest';
import { Collection } from '../../src/resource/collection.js';
import { GroupCommit } from '../../src/store/group-commit.js';
import { Rows } from '../../src/store/rows.js';
import { IsInt64 } from '../../src/validation/is-int64.js';
import { MayBeAbsent } from '../../src/validation/may-be-absent.js';
import { Bed, Garden, garden, openGardens } from './gardens.js';

class BedDto {
  @ApiProperty()
  @IsString()
  code: string;

  @ApiProperty({ type: 'integer' })
  @IsInt64()
  gardenId: bigint;

  @ApiProperty()
  @MayBeAbsent()
  @IsString()
  nextTo?: string;
}

const ANY = { ifMatch: undefined, mustNotExist: false };

test.for<[string, (beds: Collection<Bed>) => Promise<unknown>, string]>([
  ['a create', (beds) => beds.create({ code: 'a', gardenId: 3n }), 'There is no garden with the id 3.'],
  [
    'a line of an import',
    (beds) => beds.createUnlessThere({ code: 'a', gardenId: 1n, nextTo: 'b' }),
    'There is no bed with the id b.',
  ],
  [
    'a replacement',
    (beds) => beds.put('old', { code: 'old', gardenId: 3n }, ANY),
    'There is no garden with the id 3.',
  ],
  ['a patch', (beds) => beds.patch('old', { nextTo: 'b' }, ANY), 'There is no bed with the id b.'],
])('%s of what belongs to nothing is 40401, and changes nothing', async ([, write, message]) => {
  const { dataSource } = await openGardens();
  const commits = new GroupCommit(100);
  const beds = new Collection({ entity: Bed, dto: BedDto, newDto: BedDto }, dataSource, commits);
  await new Rows(dataSource, Garden, commits).insert(garden(1n), (current) => current);
  await beds.create({ code: 'old', gardenId: 1n });

  await expect(write(beds)).rejects.toMatchObject({ error: 40401, message });

  const { items } = await beds.list({ order: ['code'] }, { limit: 10 });
  expect(items).toEqual([{ code: 'old', gardenId: 1n }]);
});

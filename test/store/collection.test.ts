import { ApiProperty, ApiPropertyOptional, OmitType } from '@nestjs/swagger';
import { IsString } from 'class-validator';
import { expect, test } from 'vitest';
import { readSettings } from '../../src/config/environment.js';
import { Collection } from '../../src/resource/collection.js';
import type { Resource } from '../../src/resource/resource.js';
import { GroupCommit } from '../../src/store/group-commit.js';
import { Rows } from '../../src/store/rows.js';
import { Snapshots } from '../../src/store/snapshots.js';
import { IsInt64, MayBeAbsent } from '../../src/validation/decorators.js';
import { Bed, Garden, garden, openGardens } from './gardens.js';

class BedDto {
  @ApiProperty()
  @IsString()
  code: string;

  @ApiProperty({ type: 'integer' })
  @IsInt64()
  gardenId: bigint;

  @ApiPropertyOptional()
  @MayBeAbsent()
  @IsString()
  nextTo?: string;
}

/** A bed whose neighbour a client has to name, although there may be none. */
class NeighbourDto extends BedDto {
  @ApiProperty({ required: true })
  declare nextTo: string;
}

/** A bed that may be without a garden, although it must have one. */
class RoamingDto extends BedDto {
  @ApiPropertyOptional()
  declare gardenId: bigint;
}

/** A bed with a default that the contract does not tell. */
class DefaultDto extends BedDto {
  override gardenId = 1n;
}

/** A bed as a client sends it, when the garden comes from the path. */
class NewBedDto extends OmitType(BedDto, ['gardenId']) {}

/** The same with its garden, of which nothing says what it has to be. */
class AnsweredBedDto extends NewBedDto {
  @ApiProperty({ type: 'integer' })
  gardenId: bigint;
}

const BEDS: Resource<Bed> = { entity: Bed, dto: BedDto, newDto: BedDto };

/** Beds beside one garden, with the id 1, to which they may belong. */
async function openBeds(resource = BEDS): Promise<Collection<Bed>> {
  const { database, dataSource } = await openGardens();
  const commits = new GroupCommit(10_000);
  await new Rows(dataSource, Garden, commits).insert(garden(1n), (current) => current);
  const snapshots = new Snapshots(dataSource, readSettings({ DATABASE_URL: database.url }));
  return new Collection(resource, dataSource, commits, snapshots);
}

test.for<[string, Resource<Bed>, string]>([
  [
    'accepts less than it stores',
    { entity: Bed, dto: BedDto, newDto: NewBedDto },
    'Bed has a column gardenId, but NewBedDto has no such field.',
  ],
  [
    'answers less than it stores',
    { entity: Bed, dto: NewBedDto, newDto: NewBedDto, assigned: ['gardenId'] },
    'Bed has a column gardenId, but NewBedDto has no such field.',
  ],
  [
    'accepts what it does not store',
    { entity: Bed, dto: BedDto, newDto: BedDto, assigned: ['gardenId'] },
    'BedDto has a field gardenId, but Bed has no such column.',
  ],
  [
    'would import what nothing validates',
    { entity: Bed, dto: AnsweredBedDto, newDto: NewBedDto, assigned: ['gardenId'] },
    'Bed has a column gardenId, but AnsweredBedDto has no such field with a validator.',
  ],
  [
    'requires what may be absent',
    { entity: Bed, dto: BedDto, newDto: NeighbourDto },
    'NeighbourDto.nextTo may not be absent, but Bed.nextTo is nullable.',
  ],
  [
    'does not require what it must have',
    { entity: Bed, dto: BedDto, newDto: RoamingDto },
    'RoamingDto.gardenId may be absent, but Bed.gardenId must have a value.',
  ],
  [
    'has a default that its contract does not tell',
    { entity: Bed, dto: BedDto, newDto: DefaultDto },
    'DefaultDto.gardenId is 1 by default: say so by @ApiPropertyOptional({ default: … }).',
  ],
])('a resource does not start when it %s', async ([, resource, message]) => {
  await expect(openBeds(resource)).rejects.toThrow(message);
});

import { ApiProperty, ApiPropertyOptional, OmitType } from '@nestjs/swagger';
import { IsString } from 'class-validator';
import { Column, DeleteDateColumn, Entity, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { expect, onTestFinished, test } from 'vitest';
import { readSettings } from '../support/settings.js';
import { int64 } from '../../src/kernel/database/column-types.js';
import { dataSourceOptions } from '../../src/kernel/database/data-source-options.js';
import { openDataSource } from '../../src/kernel/database/open-data-source.js';
import { NewPlantDto } from '../../src/plants/dto/plant.dto.js';
import { Collection } from '../../src/kernel/resource/collection.js';
import { collectionToken } from '../../src/kernel/resource/resource.module.js';
import { Plant } from '../../src/plants/plant.entity.js';
import type { Resource } from '../../src/kernel/resource/resource.js';
import { GroupCommit } from '../../src/kernel/store/group-commit.js';
import { Snapshots } from '../../src/kernel/store/scans/snapshots.js';
import { IsInt64, MayBeAbsent } from '../../src/kernel/validation/decorators.js';
import { emptyDatabase } from '../support/database.js';
import { newPlant } from '../support/plants.js';
import { failedStart, startService, TOKEN } from '../support/service.js';
import { connect } from './gardens.js';

@Entity('beds')
class Bed {
  @PrimaryColumn('text')
  code: string;

  @Column('bigint', { name: 'garden_id', transformer: int64 })
  gardenId: bigint;

  @Column('text', { name: 'next_to', nullable: true })
  nextTo: string | null;
}

@Entity('counters')
class Counter {
  @PrimaryColumn('text')
  id: string;

  @Column('integer')
  count: number;
}

@Entity('plots')
class Plot {
  @PrimaryColumn('text')
  row: string;

  @PrimaryColumn('text')
  place: string;
}

@Entity('pots')
class Pot {
  @PrimaryColumn('text')
  id: string;

  @Column('text', { default: 'clay' })
  material: string;
}

@Entity('sheds')
class Shed {
  @PrimaryColumn('text')
  id: string;

  @Column('text', { transformer: { to: JSON.stringify, from: JSON.parse } })
  tools: string[];
}

@Entity('paths')
class Path {
  @PrimaryColumn('bigint')
  id: bigint;
}

@Entity('shelves')
class Shelf {
  @PrimaryColumn('text')
  id: string;

  @ManyToOne(() => Bed)
  @JoinColumn({ name: 'bed_id' })
  bed: Bed;
}

@Entity('jars')
class Jar {
  @PrimaryColumn('text')
  id: string;

  @DeleteDateColumn()
  deletedAt: Date | null;
}

@Entity('trays')
class Tray {
  @PrimaryColumn('text')
  id: string;

  @Column('text', { select: false })
  cost: string;
}

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

/** A PUT that would remove the neighbour. */
class PutBedDto extends OmitType(BedDto, ['code', 'nextTo']) {}

/** The same with its garden, of which nothing says what it has to be. */
class AnsweredBedDto extends NewBedDto {
  @ApiProperty({ type: 'integer' })
  gardenId: bigint;
}

test.for<[string, Partial<Resource<object>>, string | RegExp]>([
  [
    'accepts less than it stores',
    { newDto: NewBedDto },
    'Bed has a column gardenId, but NewBedDto has no such field.',
  ],
  [
    'answers less than it stores',
    { dto: NewBedDto, newDto: NewBedDto, assigned: ['gardenId'] },
    'Bed has a column gardenId, but NewBedDto has no such field.',
  ],
  [
    'accepts what it does not store',
    { assigned: ['gardenId'] },
    'BedDto has a field gardenId, but Bed has no such column.',
  ],
  [
    'would import what nothing validates',
    { dto: AnsweredBedDto, newDto: NewBedDto, assigned: ['gardenId'] },
    'Bed has a column gardenId, but AnsweredBedDto has no such field with a validator.',
  ],
  [
    'replaces more than its PUT can send',
    { putDto: PutBedDto },
    'Bed has a column nextTo, but PutBedDto has no such field. If the service sets it, name it in `assigned`',
  ],
  [
    'requires what may be absent',
    { newDto: NeighbourDto },
    'NeighbourDto.nextTo may not be absent, but Bed.nextTo is nullable.',
  ],
  [
    'does not require what it must have',
    { newDto: RoamingDto },
    'RoamingDto.gardenId may be absent, but Bed.gardenId must have a value.',
  ],
  [
    'has a default that its contract does not tell',
    { newDto: DefaultDto },
    'DefaultDto.gardenId is 1 by default: say so by @ApiPropertyOptional({ default: … }).',
  ],
  [
    'has a column of another type',
    { entity: Counter },
    /^Counter\.count must be of one of the types bigint, text, /,
  ],
  [
    'has a default in the database',
    { entity: Pot },
    'Pot.material must have no default: give one to its DTO, or to `initial` of its resource.',
  ],
  [
    'has a transformer that the database does not know',
    { entity: Shed },
    'Shed.tools must have no transformer but int64 and timestamp.',
  ],
  [
    'has int64s that are no bigint',
    { entity: Path },
    'Path.id must be of the type bigint with the transformer int64, or have neither.',
  ],
  [
    'has a relation whose column has no property',
    { entity: Shelf },
    'Shelf.bed is a relation. Its column bed_id needs a property of its own, with @Column().',
  ],
  [
    'has a column for the time of a deletion',
    { entity: Jar },
    'Jar must have no @DeleteDateColumn: lists and changes would show what is deleted.',
  ],
  [
    'has a hidden column that must have a value',
    { entity: Tray },
    'Tray.cost is hidden by select: false, so it must be nullable: an import has no value for it.',
  ],
  [
    'lets a client choose the owner',
    { owner: 'nextTo' },
    'BedDto has a field nextTo, but Bed has no such column.',
  ],
  ['has an owner that it does not store', { owner: 'keeper' }, 'bed has no column for keeper.'],
  ['has two primary columns', { entity: Plot }, 'Plot must have one primary column.'],
])('a resource does not start when it %s', async ([, differences, message]) => {
  const { make } = await prepare({ entity: Bed, dto: BedDto, newDto: BedDto, ...differences });

  expect(make).toThrow(message);
});

async function prepare<Row extends object>(resource: Resource<Row>) {
  const database = await emptyDatabase();
  const dataSource = await connect(database, resource.entity, Bed);
  const settings = readSettings({ DATABASE_URL: database.url });
  const make = () =>
    new Collection<Row>(resource, dataSource, new GroupCommit(10), new Snapshots(dataSource, settings));
  return { database, make };
}

class UnownedBedDto extends OmitType(BedDto, ['nextTo']) {}

const WRITE = { ifMatch: undefined, mustNotExist: false } as const;

test.for<[string, (beds: Collection<Bed>) => unknown]>([
  ['create', (beds) => beds.create({ code: 'b', gardenId: 1n })],
  ['find', (beds) => beds.find('a')],
  ['put', (beds) => beds.put('a', { gardenId: 2n }, WRITE)],
  ['patch', (beds) => beds.patch('a', { gardenId: 2n }, WRITE)],
  ['remove', (beds) => beds.remove('a', WRITE)],
  ['batch', (beds) => beds.batch([{ kind: 'delete', key: 'a', preconditions: WRITE }])],
  ['findAll', (beds) => beds.findAll(['a'])],
  ['list', (beds) => beds.list({ order: ['code'] }, { limit: 1 })],
  ['all', (beds) => beds.all().next()],
  ['count', (beds) => beds.count({ order: ['code'] })],
  ['where', (beds) => beds.where({ gardenId: 1n })],
  ['visible', (beds) => beds.visible],
])('a collection with owners does nothing by %s until it knows for whom', async ([, operate]) => {
  const { database, make } = await prepare<Bed>({
    entity: Bed,
    dto: BedDto,
    newDto: UnownedBedDto,
    owner: 'nextTo',
  });
  await database.execute('CREATE TABLE beds (code TEXT PRIMARY KEY, garden_id bigint, next_to TEXT)');
  await database.execute(`INSERT INTO beds VALUES ('a', 1, 'Ann')`);
  const beds = make();

  await expect((async () => operate(beds))()).rejects.toThrow('needs as() or ofEveryone()');
  const { items } = await beds.ofEveryone().findAll(['a', 'b']);
  expect(items.text).toBe('[{"code":"a","gardenId":1,"nextTo":"Ann"}]');
});

test('a start that is refused for a field without a column leaves the database to the version before', async () => {
  const database = await emptyDatabase();
  const { prototype } = NewPlantDto;
  const names: unknown = Reflect.getMetadata('swagger/apiModelPropertiesArray', prototype);
  onTestFinished(() => Reflect.defineMetadata('swagger/apiModelPropertiesArray', names, prototype));
  ApiProperty()(prototype, 'height');

  const failure = await failedStart({ DATABASE_URL: database.url, BOOTSTRAP_TOKEN: TOKEN });

  expect(failure).toContain('PlantDto has a field height, but Plant has no such column.');
  await database.execute('CREATE TABLE plants (id INTEGER); CREATE TABLE migrations (id INTEGER)');
});

test('a start that is refused for a relation names the relation, and not the database', async () => {
  const database = await emptyDatabase();
  const settings = readSettings({ DATABASE_URL: database.url });
  const options = { ...dataSourceOptions(settings), entities: [Shelf] };

  await expect(openDataSource(settings, options)).rejects.toThrow(
    /^Entity metadata for Shelf#bed was not found/,
  );
});

test('changes that wait together are decided one after the other, and their errors reach the caller', async () => {
  const service = await startService();
  const plants = service.app.get<Collection<Plant>>(collectionToken(Plant), { strict: false });
  await plants.create(Object.assign(newPlant(1n, 'Aloe'), { tag: 'open' }));
  const decide = (state: string) =>
    plants.change(1n, ({ tag }) => {
      if (tag !== 'open') throw new Error(`already ${tag}`);
      return { id: 2n, tag: state };
    });

  const decided = await Promise.allSettled([decide('approved'), decide('rejected')]);

  expect(decided).toMatchObject([
    { value: { id: 1n, name: 'Aloe', tag: 'approved' } },
    { reason: { message: 'already approved' } },
  ]);
  expect(await service.plants()).toMatchObject([{ id: 1n, tag: 'approved' }]);
  await expect(plants.change(2n, () => ({}))).rejects.toMatchObject({ error: 40401 });
});

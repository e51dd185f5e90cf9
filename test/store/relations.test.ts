import {
  Column,
  DataSource,
  Entity,
  In,
  JoinColumn,
  JoinTable,
  ManyToMany,
  ManyToOne,
  OneToMany,
  PrimaryColumn,
  Tree,
  TreeChildren,
  TreeParent,
} from 'typeorm';
import { expect, inject, onTestFinished, test } from 'vitest';
import { readSettings } from '../support/settings.js';
import { int64 } from '../../src/kernel/database/column-types.js';
import { createDataSource, dataSourceOptions } from '../../src/kernel/database/data-source-options.js';
import { emptyDatabase } from '../support/database.js';

@Entity('beds')
@Tree('materialized-path')
class Bed {
  @PrimaryColumn('bigint', { transformer: int64 })
  id: bigint;

  @Column('text')
  name: string;

  @TreeParent()
  @JoinColumn({ name: 'parent' })
  parent?: Bed | null;

  @TreeChildren({ cascade: true })
  children?: Bed[];

  @OneToMany(() => Sowing, (sowing) => sowing.bed, { cascade: true })
  sowings?: Sowing[];

  @OneToMany(() => Sign, (sign) => sign.bed, { cascade: true })
  signs?: Sign[];

  @ManyToMany(() => Seed, { cascade: true })
  @JoinTable({ name: 'bed_seeds', joinColumn: { name: 'bed' }, inverseJoinColumn: { name: 'seed' } })
  seeds?: Seed[];
}

@Entity('sowings')
class Sowing {
  @PrimaryColumn('bigint', { transformer: int64 })
  id: bigint;

  @Column('bigint', { nullable: true, transformer: int64 })
  grams?: bigint | null;

  @ManyToOne(() => Bed, (bed) => bed.sowings, { nullable: true })
  @JoinColumn({ name: 'bed' })
  bed?: Bed | null;
}

@Entity('signs')
class Sign {
  @PrimaryColumn('bigint', { transformer: int64 })
  id: bigint;

  @ManyToOne(() => Bed, (bed) => bed.signs, { eager: true, orphanedRowAction: 'delete' })
  @JoinColumn({ name: 'bed' })
  bed?: Bed;
}

@Entity('seeds')
class Seed {
  @PrimaryColumn('bigint', { transformer: int64 })
  id: bigint;
}

/** Ids that a JavaScript number would round, and one that it would not. */
const [SMALL, LARGE, LARGEST] = [7n, 2n ** 53n + 1n, 2n ** 63n - 1n] as const;

/** Opens a store with one bed, which has two of everything. */
async function openBeds(): Promise<DataSource> {
  const database = await emptyDatabase();
  const type = inject('database') === 'postgres' ? 'bigint' : 'INTEGER';
  const id = `id ${type} PRIMARY KEY`;
  await database.execute(`
    CREATE TABLE beds (${id}, name TEXT NOT NULL, parent ${type} REFERENCES beds, mpath TEXT);
    CREATE TABLE sowings (${id}, grams ${type}, bed ${type} REFERENCES beds);
    CREATE TABLE signs (${id}, bed ${type} NOT NULL REFERENCES beds);
    CREATE TABLE seeds (${id});
    CREATE TABLE bed_seeds (bed ${type} REFERENCES beds, seed ${type} REFERENCES seeds, PRIMARY KEY (bed, seed))`);
  const settings = readSettings({ DATABASE_URL: database.url });
  const options = { ...dataSourceOptions(settings), migrations: [], entities: [Bed, Sowing, Sign, Seed] };
  const dataSource = await createDataSource(settings, options).initialize();
  onTestFinished(() => dataSource.destroy());
  const beds = dataSource.getRepository(Bed);
  const two = () => [{ id: SMALL }, { id: LARGE }];
  await beds.save(beds.create({ id: LARGE, name: 'Herbs', sowings: two(), signs: two(), seeds: two() }));
  return dataSource;
}

async function load({ manager }: DataSource): Promise<Required<Bed>> {
  const relations = { sowings: true, signs: true, seeds: true };
  return (await manager.findOneOrFail(Bed, { where: { id: LARGE }, relations })) as Required<Bed>;
}

/** Ids in ascending order. */
function idsOf(rows: readonly { readonly id: bigint }[] = []): bigint[] {
  return rows.map(({ id }) => id).toSorted((one, other) => Number(one - other));
}

test.for<[string, (dataSource: DataSource) => Promise<unknown>, object]>([
  ['are stored with their parent', async () => undefined, {}],
  [
    'stay when their parent is read with them, changed and saved',
    async (dataSource) => dataSource.manager.save(Object.assign(await load(dataSource), { name: 'Spices' })),
    { name: 'Spices' },
  ],
  [
    'are preloaded and saved',
    async ({ manager }) =>
      manager.save(
        (await manager.preload(Bed, { id: LARGE, name: 'Spices', sowings: [{ id: SMALL }] })) ?? [],
      ),
    { name: 'Spices', sowings: [SMALL] },
  ],
  [
    'are added to those that were read',
    async (dataSource) => {
      const bed = await load(dataSource);
      bed.sowings.push(dataSource.manager.create(Sowing, { id: LARGEST }));
      await dataSource.manager.save(bed);
    },
    { sowings: [SMALL, LARGE, LARGEST] },
  ],
  [
    'lose their parent when they are removed from its array',
    async (dataSource) => {
      const bed = await load(dataSource);
      bed.sowings = bed.sowings.filter(({ id }) => id === SMALL);
      await dataSource.manager.save(bed);
      expect(await dataSource.manager.countBy(Sowing, { id: LARGE })).toBe(1);
    },
    { sowings: [SMALL] },
  ],
  [
    'are deleted as orphans',
    async (dataSource) => {
      const bed = await load(dataSource);
      bed.signs = bed.signs.filter(({ id }) => id === LARGE);
      await dataSource.manager.save(bed);
      expect(await dataSource.manager.countBy(Sign, { id: SMALL })).toBe(0);
    },
    { signs: [LARGE] },
  ],
  [
    'are exchanged where many belong to many',
    async (dataSource) => {
      const bed = await load(dataSource);
      bed.seeds = [
        ...bed.seeds.filter(({ id }) => id === LARGE),
        dataSource.manager.create(Seed, { id: LARGEST }),
      ];
      await dataSource.manager.save(bed);
    },
    { seeds: [LARGE, LARGEST] },
  ],
  [
    'get another parent',
    async ({ manager }) => {
      const bed = await manager.save(Bed, { id: SMALL, name: 'Roses' });
      const sowing = await manager.findOneOrFail(Sowing, { where: { id: LARGE }, relations: { bed: true } });
      expect(sowing.bed?.id).toBe(LARGE);
      await manager.save(Object.assign(sowing, { bed }));
    },
    { sowings: [SMALL] },
  ],
  [
    'are read eagerly, and by the id of their parent',
    async ({ manager }) => {
      const signs = await manager.findBy(Sign, { bed: { id: LARGE } });
      expect(signs.map(({ bed }) => bed?.id)).toEqual([LARGE, LARGE]);
    },
    {},
  ],
  [
    'are joined, a page at a time',
    async (dataSource) => {
      const [beds, count] = await dataSource
        .getRepository(Bed)
        .createQueryBuilder('bed')
        .leftJoinAndSelect('bed.sowings', 'sowing')
        .orderBy('bed.id')
        .take(1)
        .getManyAndCount();
      expect([count, idsOf(beds[0]?.sowings)]).toEqual([1, [SMALL, LARGE]]);
    },
    {},
  ],
  [
    'are read by their ids alone, and by a statement of their own',
    async ({ manager }) => {
      const [byId] = await manager.find(Bed, { loadRelationIds: true });
      expect(byId?.seeds).toHaveLength(2);
      expect(byId?.seeds).toEqual(expect.arrayContaining([SMALL, LARGE]));
      const [apart] = await manager.find(Bed, { relations: { signs: true }, relationLoadStrategy: 'query' });
      expect(idsOf(apart?.signs)).toEqual([SMALL, LARGE]);
    },
    {},
  ],
  [
    'are changed by the query builder of a relation',
    async (dataSource) => {
      const of = (relation: string) => dataSource.createQueryBuilder().relation(Bed, relation).of(LARGE);
      await of('seeds').remove(SMALL);
      await of('sowings').remove(LARGE);
      expect(idsOf(await of('seeds').loadMany())).toEqual([LARGE]);
    },
    { seeds: [LARGE], sowings: [SMALL] },
  ],
  [
    'are a tree',
    async (dataSource) => {
      const beds = dataSource.getTreeRepository(Bed);
      const root = await beds.findOneByOrFail({ id: LARGE });
      const child = await beds.save({ id: SMALL, name: 'Mint', parent: root });
      await beds.save({ id: LARGEST, name: 'Peppermint', parent: child });
      const other = await beds.save({ id: 8n, name: 'Spearmint', parent: child });
      const [tree] = await beds.findTrees();
      expect(idsOf(tree?.children?.[0]?.children)).toEqual([8n, LARGEST]);
      expect((await beds.findAncestorsTree(other)).parent?.parent?.id).toBe(LARGE);
    },
    {},
  ],
] as const)('relations with bigint keys %s', async ([, change, differences]) => {
  const dataSource = await openBeds();

  await change(dataSource);

  const { name, sowings, signs, seeds } = await load(dataSource);
  const both = [SMALL, LARGE];
  const expected = { name: 'Herbs', sowings: both, signs: both, seeds: both };
  const found = { name, sowings: idsOf(sowings), signs: idsOf(signs), seeds: idsOf(seeds) };
  expect(found).toEqual(Object.assign(expected, differences));
});

test('rows are updated and deleted by one bigint id, and by several', async () => {
  const sowings = (await openBeds()).getRepository(Sowing);

  await sowings.update([SMALL, LARGE], { grams: 1n });
  await sowings.update(LARGE, { grams: 2n });
  const found = await sowings.findBy({ id: In([SMALL, LARGE]) });
  const { affected } = await sowings.delete(LARGE);
  await sowings.delete([SMALL, LARGE]);

  expect(found).toHaveLength(2);
  expect(found).toEqual(
    expect.arrayContaining([
      { id: SMALL, grams: 1n },
      { id: LARGE, grams: 2n },
    ]),
  );
  expect(affected).toBe(1);
  expect(await sowings.count()).toBe(0);
  await expect(sowings.delete([] as bigint[])).rejects.toThrow('Empty criteria');
});

test('the largest, the smallest and the sum of a bigint column are exact', async () => {
  const sowings = (await openBeds()).getRepository(Sowing);
  await sowings.insert({ id: LARGEST, grams: LARGE });
  await sowings.update(SMALL, { grams: 1n });

  expect(await sowings.maximum('id')).toBe(LARGEST);
  expect(await sowings.minimum('id', { id: In([LARGE, LARGEST]) })).toBe(LARGE);
  expect(await sowings.sum('grams')).toBe(LARGE + 1n);
  expect(await sowings.maximum('id', { id: 1n })).toBeNull();
});

test('raw results have the same integers on both databases', async () => {
  const sowings = (await openBeds()).getRepository(Sowing);
  await sowings.update([SMALL, LARGE], { grams: 1n });

  const found = await sowings
    .createQueryBuilder('sowing')
    .select('COUNT(*)', 'count')
    .addSelect('SUM(sowing.grams)', 'sum')
    .addSelect('MIN(sowing.id)', 'least')
    .addSelect('MAX(sowing.id)', 'most')
    .getRawMany();

  expect(found).toEqual([{ count: 2, sum: 2, least: Number(SMALL), most: LARGE }]);
});

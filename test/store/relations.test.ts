import {
  Column,
  DataSource,
  Entity,
  In,
  JoinColumn,
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
    CREATE TABLE signs (${id}, bed ${type} NOT NULL REFERENCES beds)`);
  const settings = readSettings({ DATABASE_URL: database.url });
  const options = { ...dataSourceOptions(settings), migrations: [], entities: [Bed, Sowing, Sign] };
  const dataSource = await createDataSource(settings, options).initialize();
  onTestFinished(() => dataSource.destroy());
  const beds = dataSource.getRepository(Bed);
  const two = () => [{ id: SMALL }, { id: LARGE }];
  await beds.save(beds.create({ id: LARGE, name: 'Herbs', sowings: two(), signs: two() }));
  return dataSource;
}

async function load({ manager }: DataSource): Promise<Required<Bed>> {
  const relations = { sowings: true, signs: true };
  return (await manager.findOneOrFail(Bed, { where: { id: LARGE }, relations })) as Required<Bed>;
}

/** Ids in ascending order. */
function idsOf(rows: readonly { readonly id: bigint }[] = []): bigint[] {
  return rows.map(({ id }) => id).toSorted((one, other) => Number(one - other));
}

test('children stay, lose their parent or are deleted, as its array says when it is saved', async () => {
  const dataSource = await openBeds();
  const bed = await load(dataSource);
  await dataSource.manager.save(Object.assign(bed, { name: 'Spices' }));
  const unchanged = await load(dataSource);

  bed.sowings = bed.sowings.filter(({ id }) => id === SMALL);
  bed.signs = bed.signs.filter(({ id }) => id === LARGE);
  await dataSource.manager.save(bed);

  const changed = await load(dataSource);
  expect(unchanged.name).toBe('Spices');
  expect([unchanged.sowings, unchanged.signs].map(idsOf)).toEqual([
    [SMALL, LARGE],
    [SMALL, LARGE],
  ]);
  expect([changed.sowings, changed.signs].map(idsOf)).toEqual([[SMALL], [LARGE]]);
  expect(await dataSource.manager.countBy(Sowing, { id: LARGE })).toBe(1);
  expect(await dataSource.manager.countBy(Sign, { id: SMALL })).toBe(0);
});

test('a page of parents is joined with their children', async () => {
  const found = (await openBeds()).getRepository(Bed).createQueryBuilder('bed');

  const [beds, count] = await found
    .leftJoinAndSelect('bed.sowings', 'sowing')
    .orderBy('bed.id')
    .take(1)
    .getManyAndCount();

  expect([count, idsOf(beds[0]?.sowings)]).toEqual([1, [SMALL, LARGE]]);
});

test('a tree is read from its root and from its leaves', async () => {
  const beds = (await openBeds()).getTreeRepository(Bed);
  const root = await beds.findOneByOrFail({ id: LARGE });
  const child = await beds.save({ id: SMALL, name: 'Mint', parent: root });
  await beds.save({ id: LARGEST, name: 'Peppermint', parent: child });
  const other = await beds.save({ id: 8n, name: 'Spearmint', parent: child });

  const [tree] = await beds.findTrees();
  const { parent } = await beds.findAncestorsTree(other);

  expect(idsOf(tree?.children?.[0]?.children)).toEqual([8n, LARGEST]);
  expect(parent?.parent?.id).toBe(LARGE);
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

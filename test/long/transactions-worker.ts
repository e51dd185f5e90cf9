/**
 * `node transactions-worker.ts <first lane>`: writes to plants by `Collection` and by TypeORM until it is killed.
 *
 * Each lane has some plants to itself and writes one thing after the other. It prints the names of its plants before and after
 * each write, and when the write is over the names that it is sure of.
 */
import { randomInt } from 'node:crypto';
import { writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { getRepositoryToken } from '@nestjs/typeorm';
import { DataSource, In, type Repository } from 'typeorm';
import type { Plant as PlantRow } from '../../src/plants/plant.entity.js';

const LANES = 32;
const PLANTS = 4;
/** How long a transaction may be idle. */
const IDLE_TIMEOUT_MS = 200;

const BUILT = new URL('../../dist/src/', import.meta.url);
const load = async <Exports>(path: string) => (await import(new URL(path, BUILT).href)) as Exports;
const { createApp } =
  await load<typeof import('../../src/kernel/app/app.setup.js')>('kernel/app/app.setup.js');
const { SETTINGS } = await load<typeof import('../../src/app.module.js')>('app.module.js');
const { Configuration } = await load<typeof import('../../src/kernel/config/configuration.js')>(
  'kernel/config/configuration.js',
);
const { Settings } =
  await load<typeof import('../../src/kernel/config/settings.js')>('kernel/config/settings.js');
const { Plant } = await load<typeof import('../../src/plants/plant.entity.js')>('plants/plant.entity.js');
const { PlantDto } =
  await load<typeof import('../../src/plants/dto/plant.dto.js')>('plants/dto/plant.dto.js');
const { PlantsService } =
  await load<typeof import('../../src/plants/plants.service.js')>('plants/plants.service.js');

const configuration = new Configuration(SETTINGS, process.env);
const settings = configuration.get(Settings);
const database = { ...settings.database, idleInTransactionTimeout: IDLE_TIMEOUT_MS };
Object.defineProperty(settings, 'database', { value: database });
const app = await createApp(configuration);
await app.init();
const dataSource = app.get(DataSource);
const plants = app.get<Repository<PlantRow>>(getRepositoryToken(Plant), { strict: false });
const service = app.get(PlantsService);

/** The names of the plants of a lane; null for one that does not exist. */
type Names = readonly (string | null)[];

/** A kind of write: how often of 1,000 times, and the names that it leads to. */
type Write = readonly [share: number, after: Names, work: () => Promise<unknown>];

const NO_CONDITION = { ifMatch: undefined, mustNotExist: false };

async function run(lane: number): Promise<never> {
  // Half of the ids are beyond those that a JavaScript number holds exactly.
  const ids = Array.from(
    { length: PLANTS },
    (_, index) => BigInt(lane * PLANTS + index) + (index % 2 === 0 ? 1n : 2n ** 60n),
  );
  const read = async (): Promise<Names> => {
    const found = await plants.findBy({ id: In(ids) });
    return ids.map((id) => found.find((plant) => plant.id === id)?.name ?? null);
  };
  const print = (entry: object) => writeSync(1, `${JSON.stringify({ lane, ...entry })}\n`);
  let names = await read();
  print({ before: names });

  for (let count = 1; ; count += 1) {
    const [one, two] = [randomInt(PLANTS), randomInt(PLANTS)];
    const [id = 0n, other = 0n] = [ids[one], ids[two]];
    const name = `${lane}-${count}`;
    // Other fields have their defaults.
    const content = Object.assign(new PlantDto(), { name });
    const row = Object.assign(new Plant(), content, { id, tag: null });
    const isThere = names[one] !== null;
    const [changed, removed] = [names.with(one, name), names.with(one, null)];
    const pause = randomInt(4) === 0 ? 2 : 0;
    const writes: readonly [Write, ...Write[]] = [
      [250, changed, () => service.put(id, content, NO_CONDITION)],
      isThere
        ? [100, removed, () => service.remove(id, NO_CONDITION)]
        : [100, changed, () => service.create(Object.assign(content, { id }))],
      [100, changed, () => plants.save(row)],
      [100, changed, () => (isThere ? plants.update({ id }, { name }) : plants.insert(row))],
      [50, removed, () => plants.delete({ id })],
      [200, changed.with(two, null), () => transact(row, other, pause)],
      [100, names, () => transact(row, other, pause, new Error('undone'))],
      [50, changed, () => nest(row, other)],
      [49, names, () => abandon(id)],
      [1, names, () => transact(row, other, 2 * IDLE_TIMEOUT_MS)],
    ];
    let place = randomInt(1_000);
    const [, after, work] = writes.find(([share]) => (place -= share) < 0) ?? writes[0];
    print({ before: names, after });
    const isDone = await work().then(
      () => true,
      () => false,
    );
    const allowed = isDone ? [after] : [names, after];
    names = isDone && randomInt(20) > 0 ? after : await read();
    const isWrong = !allowed.some((each) => isDeepStrictEqual(each, names));
    print({ before: names, isDone, ...(isWrong && { allowed }) });
  }
}

/** Stores a plant, waits if it has to, and deletes another one, which may be the same; fails with an error if there is one. */
async function transact(row: PlantRow, other: bigint, ms: number, error?: Error): Promise<void> {
  await dataSource.transaction(async (manager) => {
    await manager.save(Plant, row);
    if (ms > 0) await sleep(ms);
    await manager.delete(Plant, { id: other });
    if (error !== undefined) throw error;
  });
}

/** Stores a plant in a transaction, of which a part is rolled back. */
async function nest(row: PlantRow, other: bigint): Promise<void> {
  await dataSource.transaction(async (manager) => {
    await manager.save(Plant, row);
    const inner = manager.transaction(async (part) => {
      await part.delete(Plant, { id: other });
      throw new Error('undone');
    });
    await inner.catch(() => undefined);
  });
}

/** Gives a connection back in the middle of a transaction. */
async function abandon(id: bigint): Promise<void> {
  const runner = dataSource.createQueryRunner();
  await runner.startTransaction();
  await runner.manager.delete(Plant, { id });
  await runner.release();
}

const firstLane = Number(process.argv[2]);
await Promise.all(Array.from({ length: LANES }, async (_, index) => run(firstLane + index)));

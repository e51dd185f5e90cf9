/**
 * `node transactions-worker.ts <journal> <first lane> <seed>`: writes to plants by `Collection` and by TypeORM until it is killed.
 *
 * Each lane has some plants to itself and writes one thing after the other. The journal has a line with the names of its plants
 * before and after each write, and another one with the names that the lane is sure of when the write is over.
 */
import { openSync, writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { getRepositoryToken } from '@nestjs/typeorm';
import { DataSource, type EntityManager, In, type Repository } from 'typeorm';
import type { Plant as PlantRow } from '../../src/plants/plant.entity.js';
import { Random } from './random.ts';

const LANES = 32;
const PLANTS = 4;
/** How long a transaction may be idle. */
const IDLE_TIMEOUT_MS = 200;
const HANG_MS = 2 * IDLE_TIMEOUT_MS;

const BUILT = new URL('../../dist/src/', import.meta.url);
const load = async <Exports>(path: string) => (await import(new URL(path, BUILT).href)) as Exports;
const { createApp } = await load<typeof import('../../src/app.setup.js')>('app.setup.js');
const { readSettings } =
  await load<typeof import('../../src/config/environment.js')>('config/environment.js');
const { Plant } = await load<typeof import('../../src/plants/plant.entity.js')>('plants/plant.entity.js');
const { PlantsService } =
  await load<typeof import('../../src/plants/plants.service.js')>('plants/plants.service.js');

const [journalPath = '', firstLane = '0', seed = '1'] = process.argv.slice(2);
const journal = openSync(journalPath, 'a');
const settings = readSettings(process.env);
Object.assign(settings.database, { idleInTransactionTimeout: IDLE_TIMEOUT_MS });
const app = await createApp(settings);
await app.init();
const dataSource = app.get(DataSource);
const plants = app.get<Repository<PlantRow>>(getRepositoryToken(Plant), { strict: false });
const service = app.get(PlantsService);

/** The names of the plants of a lane; null for one that does not exist. */
type Names = readonly (string | null)[];

class Undo extends Error {}

const NO_CONDITION = { ifMatch: undefined, mustNotExist: false };

class Lane {
  private names: Names = [];
  private readonly number: number;
  private readonly random: Random;
  private count = 0;

  constructor(number: number) {
    this.number = number;
    this.random = new Random(Number(seed), number);
  }

  async run(): Promise<never> {
    this.names = await this.read();
    this.note(this.names);
    for (;;) await this.write();
  }

  private idOf(index: number): bigint {
    // Half of the ids are beyond those that a JavaScript number holds exactly.
    return BigInt(this.number * PLANTS + index) + (index % 2 === 0 ? 1n : 2n ** 60n);
  }

  private async read(manager: EntityManager = plants.manager): Promise<Names> {
    const ids = Array.from({ length: PLANTS }, (_, index) => this.idOf(index));
    const found = await manager.findBy(Plant, { id: In(ids) });
    return ids.map((id) => found.find((plant) => plant.id === id)?.name ?? null);
  }

  private async write(): Promise<void> {
    this.count += 1;
    const [one, two] = [this.random.below(PLANTS), this.random.below(PLANTS)];
    const name = `${this.number}-${this.count}`;
    const [changed, both] = [this.names.with(one, name), this.names.with(one, name).with(two, null)];
    const isThere = this.names[one] !== null;
    const id = this.idOf(one);
    const kind = this.random.below(1_000);
    if (kind < 250) await this.attempt(changed, () => service.put(id, { name }, NO_CONDITION));
    else if (kind < 350 && isThere)
      await this.attempt(this.names.with(one, null), () => service.remove(id, NO_CONDITION));
    else if (kind < 350) await this.attempt(changed, () => service.create({ id, name }));
    else if (kind < 450) await this.attempt(changed, () => plants.save({ id, name, tag: null }));
    else if (kind < 550 && isThere) await this.attempt(changed, () => plants.update({ id }, { name }));
    else if (kind < 550) await this.attempt(changed, () => plants.insert({ id, name, tag: null }));
    else if (kind < 600) await this.attempt(this.names.with(one, null), () => plants.delete({ id }));
    else if (kind < 750) await this.attempt(both, () => this.transact(one, two, name));
    else if (kind < 850) await this.attempt(this.names, () => this.undone(one, two, name));
    else if (kind < 900) await this.attempt(changed, () => this.nested(one, two, name));
    else if (kind < 949) await this.attempt(this.names, () => this.abandon(one));
    else if (kind === 949) await this.attempt(this.names, () => this.hang(one, two, name));
    else await this.check();
  }

  /** Writes what leads to some names, or leaves all as it was. */
  private async attempt(after: Names, work: () => Promise<unknown>): Promise<void> {
    this.note(this.names, after);
    try {
      await work();
      this.names = after;
    } catch (error) {
      if (!(error instanceof Undo))
        writeSync(journal, `${JSON.stringify({ lane: this.number, error: String(error) })}\n`);
      const now = await this.read();
      const isRight = [this.names, after].some((names) => JSON.stringify(names) === JSON.stringify(now));
      if (!isRight) this.complain(now);
      this.names = now;
    }
    this.note(this.names);
  }

  private async transact(one: number, two: number, name: string): Promise<void> {
    await dataSource.transaction(async (manager) => {
      await manager.save(Plant, { id: this.idOf(one), name, tag: null });
      if (this.random.below(4) === 0) await sleep(this.random.below(3));
      await manager.delete(Plant, { id: this.idOf(two) });
    });
  }

  private async undone(one: number, two: number, name: string): Promise<void> {
    await dataSource.transaction(async (manager) => {
      await manager.delete(Plant, { id: this.idOf(two) });
      await sleep(this.random.below(3));
      await manager.save(Plant, { id: this.idOf(one), name, tag: null });
      throw new Undo();
    });
  }

  private async nested(one: number, two: number, name: string): Promise<void> {
    await dataSource.transaction(async (manager) => {
      await manager.save(Plant, { id: this.idOf(one), name, tag: null });
      await manager
        .transaction(async (inner) => {
          await inner.delete(Plant, { id: this.idOf(two) });
          throw new Undo();
        })
        .catch(() => undefined);
    });
  }

  /** Gives a connection back in the middle of a transaction. */
  private async abandon(one: number): Promise<void> {
    const runner = dataSource.createQueryRunner();
    await runner.startTransaction();
    await runner.manager.delete(Plant, { id: this.idOf(one) });
    await runner.release();
  }

  private async hang(one: number, two: number, name: string): Promise<void> {
    await dataSource.transaction(async (manager) => {
      await manager.delete(Plant, { id: this.idOf(two) });
      await sleep(HANG_MS);
      await manager.save(Plant, { id: this.idOf(one), name, tag: null });
    });
  }

  private async check(): Promise<void> {
    // On a busy machine even this transaction may be idle for too long.
    const now =
      this.random.below(2) === 0
        ? await this.read()
        : await dataSource.transaction((manager) => this.read(manager)).catch(() => this.read());
    if (JSON.stringify(now) !== JSON.stringify(this.names)) this.complain(now);
    this.note(this.names);
  }

  private complain(now: Names): void {
    writeSync(journal, `${JSON.stringify({ lane: this.number, expected: this.names, wrong: now })}\n`);
  }

  private note(before: Names, after?: Names): void {
    writeSync(journal, `${JSON.stringify({ lane: this.number, before, after })}\n`);
  }
}

await Promise.all(Array.from({ length: LANES }, (_, index) => new Lane(Number(firstLane) + index).run()));

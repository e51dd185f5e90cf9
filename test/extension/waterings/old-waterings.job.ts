import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager, LessThan } from 'typeorm';
import { Watering } from './watering.entity.js';

/** Key of the advisory lock of PostgreSQL that the instance at work has: an arbitrary number. */
const LOCK_KEY = 7_526_900;

/** Waterings that one transaction deletes: others wait for it. */
const SLICE = 500;

const YEAR_MS = 365 * 24 * 60 * 60 * 1000;

/** Deletes waterings that are older than a year. */
@Injectable()
export class OldWaterings implements BeforeApplicationShutdown {
  private readonly end = new AbortController();
  private working: Promise<number> | undefined;

  constructor(private readonly dataSource: DataSource) {}

  /** A scheduler calls it, on every instance. Returns the number of waterings that this instance has deleted. */
  clean(): Promise<number> {
    this.working ??= this.deleteAll().finally(() => (this.working = undefined));
    return this.working;
  }

  /** Ends after the current slice. The next night goes on. */
  async beforeApplicationShutdown(): Promise<void> {
    this.end.abort();
    await this.working?.catch(() => undefined);
  }

  private async deleteAll(): Promise<number> {
    const until = new Date(Date.now() - YEAR_MS);
    let deleted = 0;
    for (let count = SLICE; count === SLICE && !this.end.signal.aborted; deleted += count)
      count = await this.dataSource.transaction((manager) => deleteSome(manager, until));
    return deleted;
  }
}

async function deleteSome(manager: EntityManager, until: Date): Promise<number> {
  if (manager.dataSource.options.type === 'postgres') {
    // The lock goes with the transaction. Without it, another instance is at work.
    const lock = `SELECT pg_try_advisory_xact_lock(${LOCK_KEY}) AS taken`;
    const [found] = await manager.query<{ taken: boolean }[]>(lock);
    if (!found?.taken) return 0;
  }
  const slice = { where: { at: LessThan(until) }, order: { at: 'ASC' }, take: SLICE } as const;
  const some = await manager.find(Watering, { select: { id: true }, ...slice });
  if (some.length > 0)
    await manager.delete(
      Watering,
      some.map(({ id }) => id),
    );
  return some.length;
}

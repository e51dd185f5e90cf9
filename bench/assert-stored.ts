import type { BenchDatabase } from './databases.js';

/** Whoever answers 200 has to have stored the plant; what was in flight when the load ended may be there too. */
export async function assertStored(database: BenchDatabase, created: number): Promise<void> {
  const stored = await database.countPlants();
  if (stored < created) throw new Error(`${created} creates were acknowledged, but ${stored} are stored.`);
}

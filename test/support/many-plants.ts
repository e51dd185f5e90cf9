import { type Service, startService } from './service.js';

/** Starts the service on a store of many plants. */
export async function startServiceWithManyPlants(): Promise<Service> {
  const service = await startService();
  await storeManyPlants(service);
  return service;
}

/**
 * Stores 30,000 plants, or another multiple of that. Tags: `frequent` on every second plant, `rare` on ten. Names: `Rare …` on
 * ten, `M_nstera …` on the last quarter or so, and `Monstera …` on the others.
 */
export async function storeManyPlants({ database }: Service, count = 30_000): Promise<void> {
  const tenth = count / 10;
  await database.execute(`
    WITH RECURSIVE ids (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM ids WHERE id < ${count})
    INSERT INTO plants (id, name, tag)
    SELECT id,
           CASE WHEN id % ${tenth} = 1 THEN 'Rare ' WHEN id > ${tenth} * 22 / 3 THEN 'M_nstera ' ELSE 'Monstera ' END || id,
           CASE WHEN id % ${tenth} = 2 THEN 'rare' WHEN id % 2 = 1 THEN 'frequent' END
    FROM ids`);
}

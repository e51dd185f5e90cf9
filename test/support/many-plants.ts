import { DataSource, type EntityManager } from 'typeorm';
import { inject, vi } from 'vitest';
import { type Service, startService, TOKEN } from './service.js';

/**
 * Starts the service on a store of 30,000 plants. Tags: `frequent` on every second plant, `rare` on ten. Names: `Rare …` on
 * ten, `M_nstera …` on the last 8,000, and `Monstera …` on the others.
 */
export async function startServiceWithManyPlants(): Promise<Service> {
  const service = await startService();
  await service.database.execute(`
    WITH RECURSIVE ids (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM ids WHERE id < 30000)
    INSERT INTO plants
    SELECT id,
           CASE WHEN id % 3000 = 1 THEN 'Rare ' WHEN id > 22000 THEN 'M_nstera ' ELSE 'Monstera ' END || id,
           CASE WHEN id % 3000 = 2 THEN 'rare' WHEN id % 2 = 1 THEN 'frequent' END
    FROM ids`);
  // SQLite would not have statistics either: nobody makes them.
  if (inject('database') === 'postgres') await service.database.execute('ANALYZE plants');
  return service;
}

/** A statement with its parameters. */
export type Statement = Parameters<EntityManager['query']>;

/** The statements about plants that the service really executes to answer a GET. */
export async function statementsOf(service: Service, path: string): Promise<Statement[]> {
  const query = vi.spyOn(service.app.get(DataSource).manager, 'query');
  const { status } = await service.request(path, { headers: { Authorization: `Bearer ${TOKEN}` } });
  if (status !== 200) throw new Error(`${path} was answered ${status}.`);
  const statements = query.mock.calls.filter(([sql]) => sql.includes('FROM plants'));
  query.mockRestore();
  return statements;
}

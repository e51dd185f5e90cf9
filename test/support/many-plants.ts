import { DataSource } from 'typeorm';
import { vi } from 'vitest';
import { type Service, startService } from './service.js';

/** Starts the service on a store of many plants. */
export async function startServiceWithManyPlants(): Promise<Service> {
  const service = await startService();
  await storeManyPlants(service);
  return service;
}

/**
 * Stores 30,000 plants. Tags: `frequent` on every second plant, `rare` on ten. Names: `Rare …` on ten, `M_nstera …` on the
 * last 8,000, and `Monstera …` on the others.
 */
export async function storeManyPlants({ database }: Service): Promise<void> {
  await database.execute(`
    WITH RECURSIVE ids (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM ids WHERE id < 30000)
    INSERT INTO plants (id, name, tag)
    SELECT id,
           CASE WHEN id % 3000 = 1 THEN 'Rare ' WHEN id > 22000 THEN 'M_nstera ' ELSE 'Monstera ' END || id,
           CASE WHEN id % 3000 = 2 THEN 'rare' WHEN id % 2 = 1 THEN 'frequent' END
    FROM ids`);
}

/** A statement with its parameters. */
export interface Statement {
  readonly sql: string;
  readonly parameters: unknown[];
}

/** The statements, on whatever table, that the service really executes to answer a GET. */
export async function statementsOf(service: Service, path: string): Promise<Statement[]> {
  const log = vi.spyOn(service.app.get(DataSource).logger, 'logQuery');
  const { status } = await service.send('GET', path);
  if (status !== 200) throw new Error(`${path} was answered ${status}.`);
  const statements = log.mock.calls.map(([sql, parameters = []]) => ({
    sql,
    parameters: parameters as unknown[],
  }));
  log.mockRestore();
  return statements;
}

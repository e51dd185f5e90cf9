import { describe, expect, inject, test } from 'vitest';
import { emptyDatabase } from './support/database.js';
import { createMany, plant } from './support/plants.js';
import { runService } from './support/running-process.js';
import { createRequest, startService, TOKEN } from './support/service.js';
import { temporaryFolder } from './support/temporary-folder.js';

/** How often the service is killed; `npm run test:durability` does it more often. */
const KILLS = Number(process.env['KILLS'] ?? 3);
const CONNECTIONS = 64;

/** Creates plants over many connections until the service is gone; returns the ids that were answered 200. */
async function createUntilGone(
  url: string,
  firstId: number,
  onCreated: (count: number) => void,
): Promise<number[]> {
  const created: number[] = [];
  let nextId = firstId;
  const client = async () => {
    for (;;) {
      const id = nextId++;
      const response = await fetch(`${url}/plants`, createRequest(plant(id)));
      expect(response.status).toBe(200);
      expect(await response.json()).toEqual({ name: `plant ${id}`, tag: 'durable' });
      created.push(id);
      onCreated(created.length);
    }
  };
  const gone = await Promise.allSettled(Array.from({ length: CONNECTIONS }, client));
  for (const { reason } of gone as PromiseRejectedResult[]) expect(reason).toBeInstanceOf(TypeError);
  return created;
}

/** Makes the database refuse one plant. */
const REFUSE_PLANT_13 = {
  sqlite: [
    `CREATE TRIGGER refuse BEFORE INSERT ON plants WHEN new.name = 'plant 13'
     BEGIN SELECT RAISE(ABORT, 'unlucky'); END`,
  ],
  postgres: [
    `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'unlucky'; END $$`,
    `CREATE TRIGGER refuse BEFORE INSERT ON plants FOR EACH ROW WHEN (new.name = 'plant 13') EXECUTE FUNCTION refuse()`,
  ],
};

describe('durability', () => {
  test(
    `loses nothing that was answered 200 in ${KILLS} kills under load`,
    { timeout: 20_000 + KILLS * 10_000 },
    async () => {
      const database = await emptyDatabase();
      const environment = { DATABASE_URL: database.url, BOOTSTRAP_TOKEN: TOKEN };
      const created: number[] = [];

      for (let kill = 0; kill < KILLS; kill += 1) {
        const service = await runService(temporaryFolder(), environment);
        const killAfter = 200 + Math.floor(Math.random() * 2000);
        created.push(
          ...(await createUntilGone(service.url, kill * 1_000_000, (count) => {
            if (count === killAfter) service.child.kill('SIGKILL');
          })),
        );
        await service.exited;
      }

      const last = await runService(temporaryFolder(), environment);
      const stored = new Map((await database.plants()).map((row) => [Number(row.id), row]));
      expect(created.length).toBeGreaterThan(200 * KILLS);
      expect(created.filter((id) => stored.get(id)?.name !== `plant ${id}`)).toEqual([]);
      last.child.kill('SIGTERM');
      expect(await last.exited).toBe(0);
    },
  );

  test('lets no neighbour suffer from a plant that the database refuses', async () => {
    const service = await startService();
    for (const statement of REFUSE_PLANT_13[inject('database')]) await service.database.execute(statement);

    const answers = await createMany(service, 100);

    const failed = answers.filter(({ status }) => status !== 200);
    expect(failed).toMatchObject([{ status: 400, body: { error: 50000 } }]);
    expect(await service.plants()).toHaveLength(99);
    expect((await service.plants()).map(({ id }) => id)).not.toContain(13n);
  });
});

import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { emptyDatabase, postgresAt, type TestDatabase } from '../support/database.js';
import { plant } from '../support/plants.js';
import { createDatabase, PostgresServer, query } from '../support/postgres-server.js';
import { runService, type ServiceProcess } from '../support/running-process.js';
import { createRequest, TOKEN } from '../support/service.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const CONNECTIONS = 64;

/** Instances that start at once, and ids for which clients race. */
const INSTANCES = 3;
const IDS = 50;

async function startInstances(
  database: TestDatabase,
  environment: Record<string, string> = {},
): Promise<ServiceProcess[]> {
  const settings = { DATABASE_URL: database.url, ...environment };
  return Promise.all(Array.from({ length: INSTANCES }, async () => runService(temporaryFolder(), settings)));
}

describe('many instances', () => {
  test('that start at once on an empty database are all ready, with one schema and one token', async () => {
    const database = await emptyDatabase();

    const instances = await startInstances(database);

    const ready = await Promise.all(
      instances.map(async ({ url }) => (await fetch(`${url}/health/ready`)).status),
    );
    expect(ready).toEqual(instances.map(() => 200));
    const printed = await vi.waitUntil(() => {
      const files = instances.flatMap(
        (instance) => instance.stderr().match(/^ {2}cat '.+\/data\/first-token'$/gm) ?? [],
      );
      return files.length > 0 ? files : undefined;
    });
    expect(printed).toHaveLength(1);
    expect(await query(database.url, 'SELECT id FROM access_tokens')).toEqual([{ id: 'bootstrap' }]);
    expect(
      await query(database.url, 'SELECT name FROM migrations GROUP BY name HAVING count(*) <> 1'),
    ).toEqual([]);
  });

  test('let exactly one create win for each id, in whatever order the ids come', async () => {
    const database = await emptyDatabase();
    const instances = await startInstances(database, { BOOTSTRAP_TOKEN: TOKEN });
    const ids = Array.from({ length: IDS }, (_, index) => index + 1);
    const wins = new Map<number, number>();
    const refusals: unknown[] = [];
    // Each client walks through the same ids, one of two up, the other down, on an instance of its own.
    const client = async (index: number) => {
      const { url = '' } = instances[index % instances.length] ?? {};
      for (const id of index % 2 === 0 ? ids : ids.toReversed()) {
        const response = await fetch(`${url}/plants`, createRequest({ id, name: `client ${index}` }));
        const body = (await response.json()) as { error?: number };
        if (response.status === 200) wins.set(id, (wins.get(id) ?? 0) + 1);
        else if (body.error !== 40900) refusals.push(body);
      }
    };

    await Promise.all(Array.from({ length: CONNECTIONS }, async (_, index) => client(index)));

    expect(refusals).toEqual([]);
    expect([...wins.values()]).toEqual(ids.map(() => 1));
    expect(await database.plants()).toHaveLength(ids.length);
    // All of them have come with the same BOOTSTRAP_TOKEN.
    expect(await query(database.url, 'SELECT name FROM access_tokens')).toEqual([{ name: 'bootstrap' }]);
  });

  test('lose nothing that was answered 200 when one is killed and PostgreSQL is stopped under load', async () => {
    const server = await PostgresServer.start([]);
    onTestFinished(() => server.remove());
    const database = postgresAt(await createDatabase(server.url()));
    const instances = await startInstances(database, { BOOTSTRAP_TOKEN: TOKEN });
    const created: number[] = [];
    const answers = new Map<string, number>();
    let nextId = 1;
    const load = { isOver: false };
    const client = async (index: number) => {
      while (!load.isOver) {
        const id = nextId++;
        const { url = '' } = instances[index % instances.length] ?? {};
        const outcome = await fetch(`${url}/plants`, createRequest(plant(id))).then(
          async (response) => `${response.status} ${await response.text()}`,
          () => 'no answer',
        );
        const kind = outcome.startsWith('200') ? '200' : outcome;
        if (kind === '200') created.push(id);
        answers.set(kind, (answers.get(kind) ?? 0) + 1);
        if (kind !== '200') index += 1;
      }
    };
    const clients = Array.from({ length: CONNECTIONS }, async (_, index) => client(index));
    const createsMore = async () => {
      const before = created.length;
      await vi.waitUntil(() => created.length > before + 500, { timeout: 20_000 });
    };

    await createsMore();
    instances[0]?.child.kill('SIGKILL');
    await createsMore();
    await server.stop();
    await vi.waitUntil(() => [...answers.keys()].some((kind) => kind.startsWith('503')), { timeout: 20_000 });
    await server.resumeOrStart();
    await createsMore();
    load.isOver = true;
    await Promise.all(clients);

    const stored = new Map((await database.plants()).map((row) => [Number(row.id), row]));
    expect(created.filter((id) => stored.get(id)?.name !== `plant ${id}`)).toEqual([]);
    for (const kind of answers.keys()) expect(kind).toMatch(/^(200$|no answer$|503 \{"error":50300,)/);
  }, 90_000);
});

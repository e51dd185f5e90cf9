import { expect, inject, onTestFinished, test, vi } from 'vitest';
import { postgresAt } from '../support/database.js';
import { printedCurl } from '../support/network/curl.js';
import { plant } from '../support/plants.js';
import { createDatabase, PostgresServer, query } from '../support/postgres-server.js';
import { type RunningProcess, runService } from '../support/running-process.js';
import { createRequest } from '../support/service.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const CONNECTIONS = 64;

/** Whether it has made the first token, and shows how to use it. */
function hasToken(instance: RunningProcess): boolean {
  return instance.stderr().includes('curl');
}

test.runIf(inject('database') === 'postgres')(
  'two instances that start at once on an empty database lose nothing that was answered 200 when one is killed and PostgreSQL is stopped',
  async () => {
    const server = await PostgresServer.start([]);
    onTestFinished(() => server.remove());
    const database = postgresAt(await createDatabase(server.url()));
    const instances = await Promise.all(
      [1, 2].map(async () => runService(temporaryFolder(), { DATABASE_URL: database.url })),
    );
    // One of them makes the schema and the token.
    const printed = await vi.waitUntil(() => instances.find(hasToken));
    expect(instances.filter(hasToken)).toHaveLength(1);
    expect(await query(database.url, 'SELECT id FROM access_tokens')).toEqual([{ id: 'bootstrap' }]);
    expect(
      await query(database.url, 'SELECT name FROM migrations GROUP BY name HAVING count(*) <> 1'),
    ).toEqual([]);
    const { host, pathname } = new URL(database.url);
    for (const instance of instances) {
      expect(instance.stdout()).toContain(`storing plants in PostgreSQL at ${host}${pathname}`);
      expect(instance.stdout() + instance.stderr()).not.toMatch(/postgres:\/\/|secret/);
    }
    const { init } = await printedCurl(printed);
    const Authorization = new Headers(init.headers).get('authorization') ?? '';
    const created: number[] = [];
    const answers = new Map<string, number>();
    let nextId = 1;
    const load = { isOver: false };
    const client = async (index: number) => {
      while (!load.isOver) {
        const id = nextId++;
        const { url = '' } = instances[index % instances.length] ?? {};
        const outcome = await fetch(`${url}/plants`, createRequest(plant(id), { Authorization })).then(
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
      await vi.waitUntil(() => created.length > before + 500);
    };

    await createsMore();
    instances[0]?.child.kill('SIGKILL');
    await createsMore();
    await server.stop();
    await vi.waitUntil(() => [...answers.keys()].some((kind) => kind.startsWith('503')));
    await server.resumeOrStart();
    await createsMore();
    load.isOver = true;
    await Promise.all(clients);

    const stored = new Map((await database.plants()).map((row) => [Number(row.id), row]));
    expect(created.filter((id) => stored.get(id)?.name !== `plant ${id}`)).toEqual([]);
    for (const kind of answers.keys()) expect(kind).toMatch(/^(200$|no answer$|503 \{"error":50300,)/);
  },
  90_000,
);

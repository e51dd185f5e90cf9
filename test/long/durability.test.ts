import { describe, expect, inject, test, vi } from 'vitest';
import { changesAfter, Follower, storeOf } from '../support/network/changes.js';
import { emptyDatabase } from '../support/database.js';
import { plant } from '../support/plants.js';
import { runService } from '../support/running-process.js';
import { createRequest, startService, TOKEN } from '../support/service.js';
import { temporaryFolder } from '../support/temporary-folder.js';

/** How often the service is killed. */
const KILLS = 5;
const CONNECTIONS = 64;

/** The names of plants as the last acknowledged writes left them, null when deleted; those with a write in flight are left out. */
type Acknowledged = Map<number, string | null>;

/** What is done to a plant, in this order: as many of them as its id says. */
const WRITES = [
  { method: 'POST', path: () => '/plants', body: plant, name: (id: number) => `plant ${id}` },
  {
    method: 'PUT',
    path: (id: number) => `/plants/${id}`,
    body: (id: number) => ({ name: `replaced ${id}` }),
    name: (id: number) => `replaced ${id}`,
  },
  {
    method: 'PATCH',
    path: (id: number) => `/plants/${id}`,
    body: (id: number) => ({ name: `changed ${id}` }),
    name: (id: number) => `changed ${id}`,
  },
  { method: 'DELETE', path: (id: number) => `/plants/${id}`, body: () => undefined, name: () => null },
];

/** Writes plants over many connections until the service is gone, and remembers what was acknowledged. */
async function writeUntilGone(
  url: string,
  firstId: number,
  acknowledged: Acknowledged,
  onAcknowledged: (count: number) => void,
): Promise<void> {
  let count = 0;
  let nextId = firstId;
  const client = async () => {
    for (;;) {
      const id = nextId++;
      for (const { method, path, body, name } of WRITES.slice(0, 1 + (id % WRITES.length))) {
        acknowledged.delete(id);
        const response = await fetch(url + path(id), { ...createRequest(body(id)), method });
        expect(response.ok).toBe(true);
        await response.arrayBuffer();
        acknowledged.set(id, name(id));
        onAcknowledged((count += 1));
      }
    }
  };
  const gone = await Promise.allSettled(Array.from({ length: CONNECTIONS }, client));
  for (const { reason } of gone as PromiseRejectedResult[]) expect(reason).toBeInstanceOf(TypeError);
}

/** Plants of a batch. */
const SIZE = 100;

/** Creates batches of plants with negative ids until the service is gone. Returns the names of those that were acknowledged. */
async function batchUntilGone(url: string, kill: number): Promise<string[]> {
  const acknowledged: string[] = [];
  for (let number = kill * 10_000; ; number += 1) {
    const name = `batch ${number}`;
    const operations = Array.from({ length: SIZE }, (_, index) => ({
      kind: 'create',
      body: { id: -1 - number * SIZE - index, name },
    }));
    const status = await fetch(`${url}/plants/batch`, createRequest({ operations }))
      .then(async (response) => response.arrayBuffer().then(() => response.status))
      .catch(() => undefined);
    if (status === undefined) return acknowledged;
    expect(status).toBe(200);
    acknowledged.push(name);
  }
}

describe('durability', () => {
  test(
    `loses nothing that was acknowledged in ${KILLS} kills under load, nor a change of it, and keeps batches whole or not at all`,
    { timeout: 60_000 + KILLS * 20_000 },
    async () => {
      const database = await emptyDatabase();
      const environment = { DATABASE_URL: database.url, BOOTSTRAP_TOKEN: TOKEN };
      const acknowledged: Acknowledged = new Map();
      const acknowledgedBatches: string[] = [];
      const follower = new Follower();
      // On PostgreSQL, another one follows an instance that goes on.
      const witness = inject('database') === 'postgres' ? new Follower() : follower;
      if (witness !== follower) await witness.follow(await startService({}, database), '?after=0');

      for (let kill = 0; kill < KILLS; kill += 1) {
        const service = await runService(temporaryFolder(), environment);
        await follower.follow(service, '?after=0');
        const killAfter = 200 + Math.floor(Math.random() * 2000);
        const batching = batchUntilGone(service.url, kill);
        await writeUntilGone(service.url, kill * 1_000_000, acknowledged, (count) => {
          if (count === killAfter) service.child.kill('SIGKILL');
        });
        await service.exited;
        acknowledgedBatches.push(...(await batching));
      }

      const last = await startService({}, database);
      await follower.follow(last, '?after=0');
      const changes = await changesAfter(last, 0);
      const stored = new Map((await database.plants()).map(({ id, name }) => [Number(id), name]));
      const batches = Map.groupBy(
        [...stored].filter(([id]) => id < 0),
        ([, name]) => name,
      );
      expect([...batches.values()].filter(({ length }) => length !== SIZE)).toEqual([]);
      expect(acknowledgedBatches.filter((name) => !batches.has(name))).toEqual([]);
      expect(acknowledgedBatches.length).toBeGreaterThan(0);
      for (const { changes: seen } of [follower, witness]) {
        await vi.waitFor(() => expect(seen).toHaveLength(changes.length));
        expect(seen).toEqual(changes);
      }
      expect(storeOf(changes)).toEqual(new Map([...stored].map(([id, name]) => [BigInt(id), name])));
      const lost = [...acknowledged].filter(([id, name]) => (stored.get(id) ?? null) !== name);
      expect(acknowledged.size).toBeGreaterThan(50 * KILLS);
      expect(lost).toEqual([]);
    },
  );
});

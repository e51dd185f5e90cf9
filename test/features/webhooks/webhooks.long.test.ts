import { expect, inject, test, vi } from 'vitest';
import { changesAfter } from '../../support/network/changes.js';
import { emptyDatabase } from '../../support/database.js';
import { Receiver } from '../../support/network/receiver.js';
import { createUntilGone, runService } from '../../support/running-process.js';
import { createRequest, startService, TOKEN } from '../../support/service.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { ENVIRONMENT, type Hook } from './hooks.js';

const KILLS = 3;
const CLIENTS = 16;

/** The lease of an instance that is gone takes 15 s to end, and 5 s to be noticed. */
const PATIENTLY = { timeout: 60_000, interval: 100 };

test(
  'after kill -9, another instance goes on: nothing is lost, and what comes twice shows by its cursor',
  { timeout: 60_000 + KILLS * 60_000 },
  async () => {
    const database = await emptyDatabase();
    const environment = { ...ENVIRONMENT, DATABASE_URL: database.url, BOOTSTRAP_TOKEN: TOKEN };
    const start = () => runService(temporaryFolder(), environment);
    const receiver = await Receiver.start();
    const acknowledged = new Set<bigint>();
    const names = () => new Set([...acknowledged].map((id) => `plant ${id}`));
    let service = await start();
    const body = { url: receiver.url, resource: 'plants' };
    expect((await fetch(`${service.url}/webhooks`, createRequest(body))).status).toBe(201);

    for (let kill = 0; kill < KILLS; kill += 1) {
      // SQLite has one service at a time.
      const standby = inject('database') === 'postgres' ? await start() : undefined;
      const { length: before } = receiver.taken;
      const work = { firstId: kill * 1_000_000, connections: CLIENTS };
      const creating = createUntilGone(service.url, work, new Set(), acknowledged);
      await vi.waitFor(() => expect(receiver.taken.length).toBeGreaterThan(before + 5), PATIENTLY);
      service.child.kill('SIGKILL');
      await creating;
      service = standby ?? (await start());
    }
    await vi.waitFor(() => expect(names().difference(new Set(receiver.names)).size).toBe(0), PATIENTLY);
    service.child.kill('SIGKILL');
    await service.exited;

    const last = await startService({}, database);
    const all = await changesAfter(last, 0);
    const [{ id, cursor }] = (await last.send('GET', '/webhooks')).body as [Hook];
    const [latest] = (await last.send('GET', `/webhooks/${id}/deliveries`)).body as object[];
    // A delivery and its result are one transaction.
    expect(latest).toMatchObject({ cursor });
    const taken = receiver.taken.flatMap(({ changes }) => changes);
    const once = new Map(taken.map((change) => [change.cursor, change]));
    expect(acknowledged.size).toBeGreaterThan(5);
    // A webhook does not say who made a change.
    const sent = all.map(({ by: _, ...change }) => change);
    expect([...once.values()]).toEqual(sent.slice(0, once.size));
    const stored = new Set(all.map(({ plant }) => plant.name));
    expect(names().difference(stored)).toEqual(new Set());
  },
);

import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { type Change, changesAfter, changesSoFar, Follower, storeOf } from '../../support/network/changes.js';
import { emptyDatabase, type TestDatabase } from '../../support/database.js';
import { readMetrics } from '../../support/metrics.js';
import { Random } from '../../model/random.js';
import { type Service, startService } from '../../support/service.js';
import { statementsOf } from '../../support/statements.js';

const QUIET = { LOG_LEVEL: 'silent' };

/** A connection past the service. */
async function connect({ url }: TestDatabase): Promise<Client> {
  const client = await new Client({ connectionString: url }).connect();
  onTestFinished(() => client.end());
  return client;
}

function names(changes: readonly Change[]): string[] {
  return changes.map(({ kind, plant }) => `${kind} ${plant.name}`);
}

describe('the order of changes', () => {
  test('waits for each transaction that may still add one in between', async () => {
    const service = await startService();
    const [a, b] = [await connect(service.database), await connect(service.database)];
    const follower = new Follower();
    await follower.follow(service, '?after=0');
    // A transaction with a higher id ends, so that those with lower ones are beyond the greatest that has ended.
    await a.query('BEGIN');
    await a.query("INSERT INTO plants VALUES (1, 'a')");
    await b.query("INSERT INTO plants VALUES (2, 'b')");
    await service.create({ id: 3, name: 'c' });

    const held = await changesSoFar(service, 0);
    await sleep(200);
    const behind = (await readMetrics(service)).get('plant_store_changes_held_back_seconds');
    await b.query("UPDATE plants SET name = 'b again' WHERE id = 2");
    await a.query("UPDATE plants SET name = 'a again' WHERE id = 1");
    await a.query("UPDATE plants SET name = 'b by a' WHERE id = 2");
    const stillHeld = [...follower.changes];
    await a.query('COMMIT');

    const expected = [
      'created a',
      'created b',
      'created c',
      'changed b again',
      'changed a again',
      'changed b by a',
    ];
    expect(held).toEqual([]);
    expect(stillHeld).toEqual([]);
    expect(behind).toBeGreaterThan(0.1);
    expect(names(await changesAfter(service, 0))).toEqual(expected);
    await vi.waitFor(() => expect(names(follower.changes)).toEqual(expected));
    expect((await readMetrics(service)).get('plant_store_changes_held_back_seconds')).toBe(0);
  });

  test('waits for a transaction whose id is beyond all that have ended', async () => {
    const service = await startService();
    const [early, late] = [await connect(service.database), await connect(service.database)];
    const follower = new Follower();
    await follower.follow(service, '?after=0');
    await early.query('BEGIN');
    await early.query("INSERT INTO plants VALUES (1, 'early')");
    await late.query('BEGIN');
    await late.query("INSERT INTO plants VALUES (2, 'late')");
    await early.query("INSERT INTO plants VALUES (3, 'early again')");
    await early.query('COMMIT');

    await sleep(200);
    const held = await changesSoFar(service, 0);
    await late.query('COMMIT');

    const expected = ['created early', 'created late', 'created early again'];
    // Nothing can come before the first.
    expect(['', expected[0]]).toContain(names(held).join());
    await vi.waitFor(() => expect(names(follower.changes)).toEqual(expected));
    expect(names(await changesAfter(service, 0))).toEqual(expected);
  });

  test('waits for no transaction that writes elsewhere', async () => {
    const service = await startService();
    const other = await connect(service.database);
    await other.query('CREATE TABLE elsewhere (id int)');
    await other.query('BEGIN');
    await other.query('INSERT INTO elsewhere VALUES (1)');
    await service.create({ id: 1, name: 'a' });

    expect(names(await changesAfter(service, 0))).toEqual(['created a']);
    await other.query('ROLLBACK');
  });

  test('is looked for once for all who wait, and what is final is read meanwhile', async () => {
    const service = await startService();
    // From the first look on, the service knows what is final.
    await changesAfter(service, 0);
    const open = await connect(service.database);
    await open.query('BEGIN');
    await open.query("INSERT INTO plants VALUES (1, 'a')");

    const statements = await statementsOf(service, () =>
      Promise.all(Array.from({ length: 20 }, () => service.send('GET', '/plants/changes?after=0'))),
    );

    expect(statements.length).toBeLessThan(120);
    await open.query('ROLLBACK');
  });

  test('loses nothing of writers at random, and every reader agrees', { timeout: 120_000 }, async () => {
    const database = await emptyDatabase();
    const services = [await startService(QUIET, database), await startService(QUIET, database)] as const;
    const followers = services.map(() => new Follower());
    for (const [index, follower] of followers.entries())
      await follower.follow(services[index] as Service, '?after=0');
    const random = new Random(7);
    const write = async (client: Client) => {
      for (let transaction = 0; transaction < 150; transaction += 1) {
        const statements = Array.from({ length: 1 + random.below(3) }, () => {
          const id = random.below(20);
          const kind = random.below(3);
          if (kind === 0) return `DELETE FROM plants WHERE id = ${id}`;
          const name = `n${random.below(1_000_000)}`;
          return kind === 1
            ? `INSERT INTO plants VALUES (${id}, '${name}') ON CONFLICT (id) DO UPDATE SET name = EXCLUDED.name`
            : `UPDATE plants SET name = '${name}' WHERE id >= ${id} AND id < ${id + 3}`;
        });
        await client.query('BEGIN');
        try {
          for (const statement of statements) await client.query(statement);
          if (random.below(4) === 0) await sleep(random.below(30));
          await client.query(random.below(8) === 0 ? 'ROLLBACK' : 'COMMIT');
        } catch {
          // A deadlock.
          await client.query('ROLLBACK');
        }
      }
    };
    const clients = await Promise.all(Array.from({ length: 4 }, () => connect(database)));
    await Promise.all(clients.map(write));

    const all = await changesAfter(services[0], 0);
    expect(all.length).toBeGreaterThan(100);
    expect(storeOf(all)).toEqual(new Map((await database.plants()).map(({ id, name }) => [id, name])));
    for (const follower of followers)
      await vi.waitFor(() => expect(follower.changes.length).toBe(all.length));
    for (const follower of followers) expect(follower.changes).toEqual(all);
  });
});

describe('the triggers of changes', () => {
  test('write to no temporary table of the same name', async () => {
    const service = await startService();
    const client = await connect(service.database);

    await client.query('CREATE TEMPORARY TABLE plants_changes (LIKE plants_changes)');
    await client.query("INSERT INTO plants VALUES (1, 'a')");

    expect(names(await changesAfter(service, 0))).toEqual(['created a']);
  });

  test('are enabled by a start', async () => {
    const before = await startService();
    await before.stop();
    await before.database.execute('ALTER TABLE plants DISABLE TRIGGER USER');
    await before.database.execute("INSERT INTO plants VALUES (1, 'of a bulk load')");

    const service = await startService({}, before.database);
    await service.create({ id: 2, name: 'b' });

    expect(names(await changesAfter(service, 0))).toEqual(['created b']);
  });
});

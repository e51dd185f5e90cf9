import { describe, expect, inject, test, vi } from 'vitest';
import {
  type Change,
  changesAfter,
  Follower,
  parseChange,
  parseExactIds,
} from '../../support/network/changes.js';
import { importRequest, type Service, startService } from '../../support/service.js';
import { issue, type TestToken } from '../../support/tokens.js';

const WRITER = ['admin', 'plants:read', 'plants:write'];

const CALLERS = 20;
const WRITES = inject('isLong') ? 10_000 : 200;

async function storeOfThree(): Promise<{ service: Service; cursor: number }> {
  const service = await startService();
  for (const id of [1, 2, 3]) await service.create({ id, name: `plant ${id}` });
  const changes = await changesAfter(service, 0);
  return { service, cursor: changes.at(-1)?.cursor ?? 0 };
}

/** Somebody who writes, somebody who may know who that is, and somebody who may not. */
async function callersOf(service: Service) {
  return {
    writer: await issue(service, ['plants:read', 'plants:write']),
    seer: await issue(service, ['plants:read', 'tokens:read']),
    reader: await issue(service, ['plants:read']),
  };
}

describe('who has made a change', () => {
  test('is right for writes at random by many callers at once', { timeout: 300_000 }, async () => {
    await writeAtRandom(await startService());
  });

  test('is shown in every form to itself, admin and tokens:read, and to nobody else', async () => {
    const { service, cursor } = await storeOfThree();
    const { writer, seer, reader } = await callersOf(service);
    const followers = [writer, seer, reader].map(({ secret }) => new Follower(secret));
    for (const follower of followers) await follower.follow(service, `?after=${cursor}`);
    await service.send('DELETE', '/plants/2', { headers: writer.headers });
    const [change] = await changesAfter(service, cursor);
    const { by, ...unsigned } = change as Change;

    const readBy = async ({ headers }: TestToken) => {
      const path = `/plants/changes?after=${cursor}`;
      const lines = await service.send('GET', path, {
        headers: { ...headers, Accept: 'application/x-ndjson' },
      });
      const page = await service.send('GET', path, { headers });
      return [parseChange(lines.text), ...(parseExactIds(page.text) as Change[])];
    };

    expect(by).toBe(writer.id);
    for (const who of [writer, seer]) expect(await readBy(who)).toEqual([change, change]);
    expect(await readBy(reader)).toEqual([unsigned, unsigned]);
    await vi.waitFor(() =>
      expect(followers.map(({ changes }) => changes)).toEqual([[change], [change], [unsigned]]),
    );
  });

  test('is a filter for itself, admin and tokens:read', async () => {
    const { service } = await storeOfThree();
    const { writer, seer, reader } = await callersOf(service);
    await service.send('DELETE', '/plants/2', { headers: writer.headers });
    await service.send('DELETE', '/plants/3');

    const path = `/plants/changes?after=0&by=${writer.id}`;
    const found = await Promise.all(
      [writer, seer].map(async ({ headers }) => service.send('GET', path, { headers })),
    );
    const refused = await service.send('GET', path, { headers: reader.headers });

    for (const { body } of found)
      expect(body).toMatchObject([{ kind: 'deleted', by: writer.id, plant: { id: 2 } }]);
    expect(refused).toMatchObject({
      status: 403,
      body: { error: 40300, message: 'The access token lacks the scope tokens:read for the parameter by.' },
    });
  });

  test('is kept from the next start on by a store that kept changes without it', async () => {
    const { service: before, cursor } = await storeOfThree();
    await before.stop();
    for (const event of ['insert', 'move', 'update', 'delete'])
      await before.database.execute(dropTrigger(before, event));
    await before.database.execute('ALTER TABLE plants_changes DROP COLUMN writer');

    const service = await startService({}, before.database);
    const caller = await issue(service, WRITER);
    await service.send('DELETE', '/plants/1', { headers: caller.headers });

    const changes = await changesAfter(service, 0);
    expect(changes.map(({ by }) => by)).toEqual([undefined, undefined, undefined, caller.id]);
    expect(changes[2]?.cursor).toBe(cursor);
  });
});

/** Writes at random by many callers at once, in whose content is who has written it, and checks all changes. */
async function writeAtRandom(service: Service): Promise<void> {
  const callers = await Promise.all(Array.from({ length: CALLERS }, () => issue(service, WRITER)));
  // Each is deleted once, so that it is known by whom.
  const victims = Array.from({ length: WRITES / 5 }, (_, index) => ({
    id: 1_000_000 + index,
    name: 'victim',
  }));
  await service.request('/plants/import', importRequest(victims));
  const { cursor } = (await changesAfter(service, -1)).at(-1) ?? { cursor: 0 };
  const deletedBy = new Map<bigint, string>();
  let left = WRITES;
  const writeAs = async (caller: TestToken) => {
    while (left > 0) {
      left -= 1;
      const victim = left % 5 === 0 ? victims.pop() : undefined;
      if (victim === undefined) await writeSome(service, caller);
      else {
        // It is refused while too many writes are waiting.
        await vi.waitFor(async () => {
          const deleted = await service.send('DELETE', `/plants/${victim.id}`, { headers: caller.headers });
          expect(deleted.status).toBe(204);
        });
        deletedBy.set(BigInt(victim.id), caller.id);
      }
    }
  };
  await Promise.all(callers.map(writeAs));

  const changes = await changesAfter(service, cursor);
  for (const { kind, plant, by } of changes)
    if (plant.name === 'victim') expect([kind, by]).toEqual(['deleted', deletedBy.get(plant.id)]);
    else if (kind !== 'deleted') expect(by).toBe(plant.name);
  expect(changes.filter(({ plant }) => plant.name === 'victim')).toHaveLength(deletedBy.size);
  expect(new Set(changes.map(({ by }) => by)).size).toBe(CALLERS);
}

/** Writes some of 100 plants, and gives them the name of the caller. */
async function writeSome(service: Service, { id: name, headers }: TestToken): Promise<void> {
  const id = Math.floor(Math.random() * 100);
  switch (Math.floor(Math.random() * 7)) {
    case 0:
      await service.send('DELETE', `/plants/${id}`, { headers });
      break;
    case 1:
      await service.send('PATCH', `/plants/${id}`, { headers, body: { name } });
      break;
    case 2:
      await service.send('POST', '/plants', { headers, body: { id, name } });
      break;
    case 3: {
      const operations = [id, id + 1, id + 2].map((of) => ({ kind: 'put', id: of, body: { name } }));
      await service.send('POST', '/plants/batch', { headers, body: { operations } });
      break;
    }
    case 4: {
      const lines = [id, id + 1].map((of) => ({ id: of, name }));
      await service.request('/plants/import', importRequest(lines, headers));
      break;
    }
    default:
      await service.send('PUT', `/plants/${id}`, { headers, body: { name } });
  }
}

function dropTrigger({ database }: Service, event: string): string {
  const isPostgres = database.url.startsWith('postgres');
  return `DROP TRIGGER IF EXISTS plants_changes_${event}${isPostgres ? ' ON plants' : ''}`;
}

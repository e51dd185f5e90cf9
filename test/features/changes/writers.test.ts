import { describe, expect, test, vi } from 'vitest';
import {
  type Change,
  changesAfter,
  Follower,
  parseChange,
  parseExactIds,
} from '../../support/network/changes.js';
import { type Service, startService } from '../../support/service.js';
import { issue, type TestToken } from '../../support/tokens.js';
import { writeAtRandom, WRITER } from './writers.js';

async function storeOfThree(): Promise<{ service: Service; cursor: number }> {
  const service = await startService();
  for (const id of [1, 2, 3]) await service.create({ id, name: `plant ${id}` });
  const changes = await changesAfter(service, 0);
  return { service, cursor: changes.at(-1)?.cursor ?? 0 };
}

describe('who has made a change', () => {
  test('is right for writes at random by many callers at once', async () => {
    await writeAtRandom(await startService(), 200);
  });

  test('is shown in every form to itself, admin and tokens:read, and to nobody else', async () => {
    const { service, cursor } = await storeOfThree();
    const [writer, seer, reader] = [
      await issue(service, ['plants:read', 'plants:write']),
      await issue(service, ['plants:read', 'tokens:read']),
      await issue(service, ['plants:read']),
    ];
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
    const [writer, seer, reader] = [
      await issue(service, ['plants:read', 'plants:write']),
      await issue(service, ['plants:read', 'tokens:read']),
      await issue(service, ['plants:read']),
    ];
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

function dropTrigger({ database }: Service, event: string): string {
  const isPostgres = database.url.startsWith('postgres');
  return `DROP TRIGGER IF EXISTS plants_changes_${event}${isPostgres ? ' ON plants' : ''}`;
}

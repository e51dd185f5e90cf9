import { expect, vi } from 'vitest';
import { importRequest, type Service } from '../../support/service.js';
import { issue, type TestToken } from '../../support/tokens.js';
import { changesAfter } from '../../support/network/changes.js';

export const WRITER = ['admin', 'plants:read', 'plants:write'];

const CALLERS = 20;

/** Writes at random by many callers at once, in whose content is who has written it, and checks all changes. */
export async function writeAtRandom(service: Service, count: number): Promise<void> {
  const callers = await Promise.all(Array.from({ length: CALLERS }, () => issue(service, WRITER)));
  // Each is deleted once, so that it is known by whom.
  const victims = Array.from({ length: count / 5 }, (_, index) => ({
    id: 1_000_000 + index,
    name: 'victim',
  }));
  await service.request('/plants/import', importRequest(victims));
  const { cursor } = (await changesAfter(service, -1)).at(-1) ?? { cursor: 0 };
  const deletedBy = new Map<bigint, string>();
  let left = count;
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

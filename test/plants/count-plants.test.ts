import { describe, expect, test, vi } from 'vitest';
import { Snapshots } from '../../src/kernel/store/scans/snapshots.js';
import { plant, storeManyPlants } from '../support/plants.js';
import { type Service, startService } from '../support/service.js';

const COUNT = '/plants/count';

/** Lets something happen after each statement of a snapshot. */
function behindEachStatement(service: Service, happen: () => Promise<void>): void {
  const snapshots = service.app.get(Snapshots);
  const read = snapshots.read.bind(snapshots);
  vi.spyOn(snapshots, 'read').mockImplementation((use, mayWait) =>
    read((queries) => {
      const query = async (text: string, parameters?: unknown[]) => {
        const rows = await queries.query(text, parameters);
        await happen();
        return rows;
      };
      return use({ query });
    }, mayWait),
  );
}

describe('GET /plants/count', () => {
  test('counts the plants as they were when its page was read, and keeps nobody from reading and writing', async () => {
    const service = await startService();
    await storeManyPlants(service);
    const statuses: number[] = [];
    let id = 0;
    behindEachStatement(service, async () => {
      id += 1;
      // In front of what is counted, and behind it.
      for (const [method, path] of [
        ['DELETE', `/plants/${id}`],
        ['PUT', `/plants/${id + 100_000}`],
        ['PUT', `/plants/${id + 200_000}`],
        ['GET', `/plants/${id + 200_000}`],
      ] as const) {
        const { status } = await service.send(method, path, {
          body: method === 'PUT' ? plant(id) : undefined,
        });
        statuses.push(status);
      }
    });

    const { headers } = await service.send('GET', '/plants?limit=100&total=true');
    vi.restoreAllMocks();
    const later = await service.send('GET', COUNT);

    expect(headers.get('x-total-count')).toBe('30000');
    expect(statuses).toEqual([204, 201, 201, 200, 204, 201, 201, 200]);
    expect(later.body).toEqual({ count: 30_002 });
  });
});

import { describe, expect, inject, test, vi } from 'vitest';
import { Snapshots } from '../../src/store/snapshots.js';
import { plant, storeManyPlants } from '../support/plants.js';
import { type Service, startService } from '../support/service.js';

const COUNT = '/plants/count';

/** Lets something happen when a part of the plants is counted: on SQLite that is one of eight, and on PostgreSQL all. */
function behindEachPart(service: Service, happen: () => Promise<void>): void {
  const snapshots = service.app.get(Snapshots);
  const read = snapshots.read.bind(snapshots);
  vi.spyOn(snapshots, 'read').mockImplementation(async function* (...args) {
    for await (const part of read(...args)) {
      yield part;
      await happen();
    }
  });
}

describe('GET /plants/count', () => {
  test('answers how many plants there are', async () => {
    const service = await startService();

    const none = await service.send('GET', COUNT);
    await service.create(plant(1));
    const one = await service.send('GET', COUNT);
    const head = await service.send('HEAD', COUNT);

    expect(none).toMatchObject({ status: 200, text: '{"count":0}' });
    expect(none.headers.get('cache-control')).toBe('no-store');
    expect(one).toMatchObject({ status: 200, text: '{"count":1}' });
    expect(head).toMatchObject({ status: 200, text: '' });
  });

  test('counts the plants as they were when it began, and keeps nobody from reading and writing', async () => {
    const service = await startService();
    await storeManyPlants(service);
    const statuses: number[] = [];
    let id = 0;
    behindEachPart(service, async () => {
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

    const { body } = await service.send('GET', COUNT);
    vi.restoreAllMocks();
    const later = await service.send('GET', COUNT);

    expect(body).toEqual({ count: 30_000 });
    expect(id).toBe(inject('database') === 'sqlite' ? 8 : 1);
    expect(statuses).toEqual(Array.from({ length: id }, () => [204, 201, 201, 200]).flat());
    expect(later.body).toEqual({ count: 30_000 + id });
  });
});

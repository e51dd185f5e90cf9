import { DataSource } from 'typeorm';
import { expect, test } from 'vitest';
import { GroupCommit } from '../../src/store/group-commit.js';
import { Rows } from '../../src/store/rows.js';
import { Plant } from '../../src/plants/plant.entity.js';
import { storeManyPlants } from '../support/plants.js';
import { startService } from '../support/service.js';
import { countTurns } from '../support/turns.js';

test('counts leave others their turns, however many there are at the same time', async () => {
  const service = await startService();
  await storeManyPlants(service);
  const dataSource = service.app.get(DataSource);
  const rows = new Rows(dataSource, Plant, new GroupCommit(1));
  const turn = countTurns();
  const count = async () => {
    const turns: number[] = [];
    for await (const counted of rows.count({ order: ['id'] }, dataSource)) {
      expect(counted).toBeLessThanOrEqual(4096);
      turns.push(turn());
    }
    return turns;
  };

  const [first, ...others] = await Promise.all([count(), count(), count()]);

  // All begin at once, and go on one a turn.
  expect(first).toHaveLength(8);
  expect(new Set([first, ...others].flat()).size).toBe(22);
});

import { DataSource } from 'typeorm';
import { expect, test } from 'vitest';
import { GroupCommit } from '../../src/store/group-commit.js';
import { Rows } from '../../src/store/rows.js';
import { Plant } from '../../src/plants/plant.entity.js';
import { storeManyPlants } from '../support/plants.js';
import { startService } from '../support/service.js';

test('a count reads some thousand rows with each statement, so that others get their turns in between', async () => {
  const service = await startService();
  await storeManyPlants(service);
  const dataSource = service.app.get(DataSource);
  const rows = new Rows(dataSource, Plant, new GroupCommit(1));

  const counts: number[] = [];
  for await (const counted of rows.count({ order: ['id'] }, dataSource)) counts.push(counted);

  expect(counts).toEqual([...Array.from({ length: 7 }, () => 4096), 1328]);
});

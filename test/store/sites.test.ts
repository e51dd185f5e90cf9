import { expect, test } from 'vitest';
import { GroupCommit } from '../../src/store/group-commit.js';
import { Rows } from '../../src/store/rows.js';
import { Garden, openGardens } from './gardens.js';
import { SplitSites } from './split-sites.js';

test('rows that move between sites while they are read and changed have the results of a model', async () => {
  const { dataSource } = await openGardens();
  const sites = new SplitSites(dataSource);
  const commits = new GroupCommit(4096);
  const rows = new Rows(dataSource, Garden, commits, sites);
  const garden = (id: number, budget: bigint): Garden =>
    Object.assign(new Garden(), {
      id: BigInt(id),
      name: `garden ${id}`,
      note: null,
      budget,
      area: null,
      isOpen: null,
      openedAt: null,
    });
  const ids = Array.from({ length: 40 }, (_, index) => index - 20);
  await Promise.all(ids.map((id) => rows.change(BigInt(id), () => garden(id, 0n), true)));

  for (let round = 1; round <= 20; round += 1) {
    const found = ids.map((id) => rows.find(BigInt(id)));
    const changed = ids.map((id) =>
      rows.change(BigInt(id), (current) => garden(id, (current?.budget ?? -100n) + 1n)),
    );
    sites.move();
    expect((await Promise.all(found)).map((row) => row?.id)).toEqual(ids.map(BigInt));
    expect((await Promise.all(changed)).map(({ after }) => after?.budget)).toEqual(
      ids.map(() => BigInt(round)),
    );
  }

  expect(commits.all).toHaveLength(3);
});

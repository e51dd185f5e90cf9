import { expect, inject, test, vi } from 'vitest';
import { GroupCommit } from '../../src/kernel/store/group-commit.js';
import { SEPARATOR } from '../../src/kernel/store/scans/index-scan.js';
import { Rows } from '../../src/kernel/store/rows.js';
import { Garden, openGardens } from './gardens.js';
import { SplitSites } from './split-sites.js';

const garden = (id: number, budget = 0n): Garden =>
  Object.assign(new Garden(), {
    id: BigInt(id),
    name: `garden ${id}`,
    note: null,
    budget,
    area: null,
    isOpen: null,
    openedAt: null,
  });

test('rows that move between sites while they are read and changed have the results of a model', async () => {
  const { dataSource } = await openGardens();
  const sites = new SplitSites(dataSource);
  const commits = new GroupCommit(4096);
  const rows = new Rows(dataSource, Garden, commits, sites);
  const ids = Array.from({ length: 40 }, (_, index) => index - 20);
  await Promise.all(ids.map((id) => rows.change(BigInt(id), () => garden(id), true)));

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

test('a list reads from each site the most that its share of the rows may be, and goes on when it has more', async () => {
  const { dataSource } = await openGardens();
  const rows = new Rows(dataSource, Garden, new GroupCommit(4096), new SplitSites(dataSource));
  // All of the first hundred rows are at one site.
  const ids = Array.from({ length: 300 }, (_, index) => (index < 100 ? 2 * index : index + 100));
  await Promise.all(ids.map((id) => rows.change(BigInt(id), () => garden(id), true)));
  const query = vi.spyOn(dataSource, 'query');

  const found: unknown[] = [];
  for await (const { text } of rows.read({ order: ['id'] }, 100))
    found.push(...text.split(SEPARATOR).map((row) => JSON.parse(row).id));

  expect(found).toEqual(ids);
  // On PostgreSQL it is rounded up, in the text.
  const limits = query.mock.calls.map(([text, values]) => /LIMIT (\d+)/.exec(text)?.[1] ?? values?.at(-1));
  expect(new Set(limits)).toEqual(new Set([inject('database') === 'postgres' ? '61' : 60]));
});

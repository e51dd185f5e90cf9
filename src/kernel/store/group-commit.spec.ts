import { setImmediate as immediate } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import { GroupCommit, WriteQueue, type PendingWrite, type WriteBatch } from './group-commit.js';

/** A write of a number, of which the outcome is ten times that. */
interface NumberWrite extends PendingWrite {
  readonly number: number;
  readonly resolve: (outcome: number) => void;
  isSettled: boolean;
}

/** Adds a number to a queue, and resolves with its outcome. */
type Add = (number: number) => Promise<number>;

function queueOf(commits: GroupCommit, writeBatch: WriteBatch<NumberWrite>, size = 1): Add {
  const queue = new WriteQueue(writeBatch);
  return (number) => {
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    commits.add(queue, { number, size, isSettled: false, resolve, reject });
    return promise;
  };
}

function settle(writes: readonly NumberWrite[]): void {
  for (const write of writes) {
    write.isSettled = true;
    write.resolve(write.number * 10);
  }
}

function numbersOf(batch: readonly NumberWrite[]): number[] {
  return batch.map(({ number }) => number);
}

/** Writes that end when the test says so, and remember what they were given. */
function controlledWrites() {
  const batches: number[][] = [];
  const ends: (() => void)[] = [];
  const writeBatch: WriteBatch<NumberWrite> = async (batch) => {
    batches.push(numbersOf(batch));
    await new Promise<void>((resolve) => ends.push(resolve));
    settle(batch);
  };
  return { batches, ends, writeBatch };
}

/** Writes that remember what they were given, and refuse any batch in which a number is negative. */
function watchedWrites() {
  const batches: number[][] = [];
  const writeBatch: WriteBatch<NumberWrite> = async (batch) => {
    batches.push(numbersOf(batch));
    if (batch.some(({ number }) => number < 0)) throw new Error('refused');
    settle(batch);
  };
  return { batches, writeBatch };
}

/** What the driver says when nobody listens. */
const AWAY = Object.assign(new Error(), { code: 'ECONNREFUSED' });

function upTo(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}

describe('a group commit', () => {
  test('writes one batch at a time, while the next ones fill', async () => {
    const { batches, ends, writeBatch } = controlledWrites();
    const commits = new GroupCommit(100);
    const [add, addElsewhere] = [queueOf(commits, writeBatch), queueOf(commits, writeBatch)];

    const outcomes = [add(1)];
    await vi.waitUntil(() => ends.length === 1);
    outcomes.push(add(2), addElsewhere(3), add(4));
    await immediate();
    await immediate();

    expect(batches).toEqual([[1]]);
    for (const count of [2, 3]) {
      ends[count - 2]?.();
      await vi.waitUntil(() => ends.length === count);
    }
    expect(batches).toEqual([[1], [2, 4], [3]]);
    ends[2]?.();
    expect(await Promise.all(outcomes)).toEqual([10, 20, 30, 40]);
  });

  test('refuses what is more than may wait in a queue, by its size, and takes writes of others, and again when there is room', async () => {
    const commits = new GroupCommit(3);
    const { writeBatch } = watchedWrites();
    const [add, addElsewhere] = [queueOf(commits, writeBatch, 2), queueOf(commits, writeBatch)];

    const waiting = [add(1), add(2)];
    expect(() => add(3)).toThrow(expect.objectContaining({ error: 50300 }));
    await Promise.all([...waiting, addElsewhere(3)]);

    expect(await add(4)).toBe(40);
  });

  test.for([
    ['all of a batch', 0, [[1, 2], [-3, 4], [-3], [4]]],
    ['what nobody knows of yet', 1, [[2, -3], [4]]],
  ] as const)(
    'tries halves of %s when it is refused: only the bad one fails',
    async ([, settled, halves]) => {
      const { batches, writeBatch } = watchedWrites();
      const add = queueOf(new GroupCommit(100), async (batch) => {
        if (batch.length > 1) settle(batch.slice(0, settled));
        await writeBatch(batch);
      });

      const outcomes = await Promise.allSettled([1, 2, -3, 4].map((number) => add(number)));

      expect(outcomes).toMatchObject([
        { value: 10 },
        { value: 20 },
        { reason: { message: 'refused' } },
        { value: 40 },
      ]);
      expect(batches).toEqual([[1, 2, -3, 4], ...halves]);
    },
  );

  test('keeps no other queue waiting while it tries halves', async () => {
    const { batches, writeBatch } = watchedWrites();
    const commits = new GroupCommit(100);
    const [add, addElsewhere] = [queueOf(commits, writeBatch), queueOf(commits, writeBatch)];

    const refused = Promise.allSettled([-1, -2].map((number) => add(number)));
    await addElsewhere(3);

    expect(batches).toEqual([[-1, -2], [3]]);
    await refused;
  });

  test('fails at once for all who wait in any queue when the store is away, and is ready for the next', async () => {
    const sizes: number[] = [];
    const commits = new GroupCommit(1000);
    const writeBatch: WriteBatch<NumberWrite> = async (batch) => {
      sizes.push(batch.length);
      if (batch.some(({ number }) => number === 0)) throw AWAY;
      settle(batch);
    };
    const [add, addElsewhere] = [queueOf(commits, writeBatch), queueOf(commits, writeBatch)];

    const outcomes = await Promise.allSettled([...upTo(600).map((number) => add(number)), addElsewhere(1)]);

    expect(sizes).toEqual([256]);
    expect(outcomes).toEqual(Array.from({ length: 601 }, () => ({ status: 'rejected', reason: AWAY })));
    expect(await add(1)).toBe(10);
    expect(await Promise.all(upTo(1000).map((number) => add(number + 1)))).toHaveLength(1000);
  });

  test('stops trying halves when the store is away', async () => {
    let count = 0;
    const add = queueOf(new GroupCommit(1000), async (batch) => {
      count += 1;
      throw batch.length > 1 ? new Error('refused') : AWAY;
    });

    const outcomes = await Promise.allSettled([1, 2, 3, 4].map((number) => add(number)));

    expect(count).toBe(3);
    expect(outcomes).toMatchObject(upTo(4).map(() => ({ reason: AWAY })));
  });
});

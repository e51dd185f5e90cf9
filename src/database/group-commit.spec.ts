import { setImmediate as turnOfTheEventLoop } from 'node:timers/promises';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { GroupCommit, type Writer } from './group-commit.js';

/** Numbers of one kind, each with a key of its own. */
function numbers<Outcome>(write: Writer<number, Outcome>['write']): Writer<number, Outcome> {
  return { kindOf: () => 'number', keyOf: (item) => item, sizeOf: () => 8, write };
}

/** A write that ends when the test says so, and remembers what it was given. */
function controlledWrite() {
  const batches: number[][] = [];
  const ends: { resolve: () => void; reject: (reason: Error) => void }[] = [];
  const write = async (batch: readonly number[]) => {
    batches.push([...batch]);
    await new Promise<void>((resolve, reject) => ends.push({ resolve, reject }));
    return batch.map((item) => item * 10);
  };
  return { batches, ends, write };
}

/** A write that refuses any batch with a negative number in it. */
async function refuseNegative(batch: readonly number[]): Promise<number[]> {
  if (batch.some((item) => item < 0)) throw new Error('refused');
  return batch.map((item) => item * 10);
}

describe('a group commit', () => {
  test('writes at once when it is idle, and tells each caller the own outcome', async () => {
    const commits = new GroupCommit(numbers(refuseNegative), 100);

    expect(await commits.add(1)).toBe(10);
    expect(await Promise.all([commits.add(2), commits.add(3)])).toEqual([20, 30]);
  });

  test('writes one batch at a time, while the next one fills', async () => {
    const { batches, ends, write } = controlledWrite();
    const commits = new GroupCommit(numbers(write), 100);

    const first = commits.add(1);
    await turnOfTheEventLoop();
    const second = [commits.add(2), commits.add(3)];
    await turnOfTheEventLoop();
    expect(batches).toEqual([[1]]);
    ends[0]?.resolve();
    await first;
    await vi.waitUntil(() => batches.length > 1);

    expect(batches).toEqual([[1], [2, 3]]);
    ends[1]?.resolve();
    expect(await Promise.all(second)).toEqual([20, 30]);
  });

  test('writes a queue of any length', async () => {
    const commits = new GroupCommit(
      numbers(async (batch) => batch),
      1_000_000,
    );
    const items = Array.from({ length: 150_000 }, (_, index) => index);

    expect(await Promise.all(items.map((item) => commits.add(item)))).toEqual(items);
  });

  test('answers nobody before the batch is written', async () => {
    const { ends, write } = controlledWrite();
    const commits = new GroupCommit(numbers(write), 100);
    let answered = false;

    const outcome = commits.add(1).then(() => (answered = true));
    await turnOfTheEventLoop();
    await turnOfTheEventLoop();

    expect(answered).toBe(false);
    ends[0]?.resolve();
    await outcome;
  });

  test('bounds its batches', async () => {
    const sizes: number[] = [];
    const commits = new GroupCommit(
      numbers(async (batch: readonly number[]) => {
        sizes.push(batch.length);
        return batch;
      }),
      1000,
    );

    await Promise.all(Array.from({ length: 600 }, async (_, item) => commits.add(item)));

    expect(sizes).toEqual([256, 256, 88]);
  });

  test('bounds the bytes of its batches, but writes an item of any size', async () => {
    const batches: number[][] = [];
    const writer: Writer<number, number> = {
      kindOf: () => 'size',
      keyOf: () => Symbol('key'),
      sizeOf: (size) => size,
      write: async (batch) => {
        batches.push([...batch]);
        return batch;
      },
    };
    const commits = new GroupCommit(writer, 100);

    const sizes = [600_000, 600_000, 400_000, 5_000_000, 1, 600_000, 1];
    await Promise.all(sizes.map(async (size) => commits.add(size)));

    expect(batches).toEqual([[600_000, 400_000, 1, 1], [600_000], [5_000_000], [600_000]]);
  });

  test('takes turns between kinds, and leaves a turn of the event loop to others before each batch', async () => {
    let turn = 0;
    const count = () => {
      turn += 1;
      counting = setImmediate(count);
    };
    let counting = setImmediate(count);
    onTestFinished(() => clearImmediate(counting));
    const written: [item: string, turn: number][] = [];
    const writer: Writer<string, void> = {
      kindOf: (item) => item,
      keyOf: (item) => item,
      sizeOf: () => 1,
      write: async (batch) => batch.map((item) => void written.push([item, turn])),
    };
    const commits = new GroupCommit(writer, 10_000);

    const many = Array.from({ length: 1000 }, async () => commits.add('of one key'));
    await commits.add('of another');
    expect(written.map(([item]) => item)).toEqual(['of one key', 'of another']);
    await Promise.all(many);

    expect(new Set(written.map(([, at]) => at)).size).toBe(1001);
  });

  test('writes a full batch before the turn of the event loop is over', async () => {
    let turnIsOver = false;
    const commits = new GroupCommit(
      numbers(async (batch: readonly number[]) => batch.map(() => turnIsOver)),
      1000,
    );

    setImmediate(() => (turnIsOver = true));
    const outcomes = await Promise.all(Array.from({ length: 256 }, async (_, item) => commits.add(item)));

    expect(outcomes).not.toContain(true);
  });

  test('refuses what is more than may wait, and takes items again when there is room', async () => {
    const commits = new GroupCommit(numbers(refuseNegative), 2);

    const waiting = [commits.add(1), commits.add(2)];
    expect(() => commits.add(3)).toThrow(expect.objectContaining({ error: 50300 }));
    await Promise.all(waiting);

    expect(await commits.add(4)).toBe(40);
  });

  test('tries the items of a refused batch one by one: only the bad one fails', async () => {
    const commits = new GroupCommit(numbers(refuseNegative), 100);

    const outcomes = await Promise.allSettled([1, -2, 3].map(async (item) => commits.add(item)));

    expect(outcomes).toMatchObject([
      { status: 'fulfilled', value: 10 },
      { status: 'rejected', reason: { message: 'refused' } },
      { status: 'fulfilled', value: 30 },
    ]);
  });

  test('fails at once for all who wait when the store is away, and is ready for the next', async () => {
    const away = Object.assign(new Error(), { code: 'ECONNREFUSED' });
    const sizes: number[] = [];
    const commits = new GroupCommit(
      numbers(async (batch: readonly number[]) => {
        sizes.push(batch.length);
        if (batch.includes(0)) throw away;
        return batch;
      }),
      1000,
    );

    const outcomes = await Promise.allSettled(
      Array.from({ length: 600 }, async (_, item) => commits.add(item)),
    );

    expect(sizes).toEqual([256]);
    expect(new Set(outcomes.map((outcome) => (outcome as PromiseRejectedResult).reason))).toEqual(
      new Set([away]),
    );
    expect(await commits.add(1)).toBe(1);
  });

  test('stops trying items one by one when the store is away', async () => {
    const away = Object.assign(new Error(), { code: 'ECONNREFUSED' });
    let writes = 0;
    const commits = new GroupCommit(
      numbers(async (batch: readonly number[]) => {
        writes += 1;
        throw batch.length > 1 ? new Error('refused') : away;
      }),
      1000,
    );

    const outcomes = await Promise.allSettled([1, 2, 3].map(async (item) => commits.add(item)));

    expect(writes).toBe(2);
    expect(outcomes.map((outcome) => (outcome as PromiseRejectedResult).reason)).toEqual([away, away, away]);
  });

  test('goes on after a failure', async () => {
    const commits = new GroupCommit(numbers(refuseNegative), 100);

    await expect(commits.add(-1)).rejects.toThrow('refused');

    expect(await commits.add(1)).toBe(10);
  });

  test('writes items of one kind together, and those of one key in their order', async () => {
    const batches: string[][] = [];
    const writer: Writer<string, string> = {
      kindOf: (item) => item.slice(0, 1),
      keyOf: (item) => item.slice(1, 2),
      sizeOf: (item) => item.length,
      write: async (batch) => {
        batches.push([...batch]);
        return batch;
      },
    };
    const commits = new GroupCommit(writer, 100);

    const items = ['a1', 'b2', 'a3', 'a2', 'b1', 'a1', 'b4', 'a5'];
    const outcomes = await Promise.all(items.map(async (item) => commits.add(item)));

    expect(outcomes).toEqual(items);
    expect(batches).toEqual([
      ['a1', 'a3', 'a5'],
      ['b2', 'b4', 'b1'],
      ['a2', 'a1'],
    ]);
  });

  test('is drained when all that was added is written', async () => {
    const written: number[] = [];
    const commits = new GroupCommit(
      numbers(async (batch: readonly number[]) => {
        await turnOfTheEventLoop();
        written.push(...batch);
        return batch;
      }),
      1000,
    );
    const outcomes = Array.from({ length: 300 }, async (_, item) => commits.add(item));

    await commits.drain();

    expect(written).toHaveLength(300);
    await Promise.all(outcomes);
  });
});

import { describe, expect, test, vi } from 'vitest';
import { Meter } from './meter.js';

/** The series of all metrics. */
async function seriesOf({ registry }: Meter): Promise<string[]> {
  return (await registry.metrics()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
}

async function reject(): Promise<never> {
  throw new Error('The database is away.');
}

describe('a gauge', () => {
  test('shows only the labels of its latest reading', async () => {
    const meter = new Meter();
    const readings = [{ dry: 1, wet: 2 }, { wet: 3 }, undefined];
    meter.gauge('soil', 'Soil.', () => readings.shift(), { label: 'state' });

    expect(await seriesOf(meter)).toEqual(['soil{state="dry"} 1', 'soil{state="wet"} 2']);
    expect(await seriesOf(meter)).toEqual(['soil{state="wet"} 3']);
    expect(await seriesOf(meter)).toEqual([]);
  });

  test('that cannot be read has no value, and other metrics have theirs', async () => {
    const meter = new Meter();
    meter.gauge('lag', 'Lag.', reject);
    meter.gauge('up', 'Up.', reject, { otherwise: () => 0 });
    meter.gauge('size', 'Size.', () => 7);

    expect(await seriesOf(meter)).toEqual(['up 0', 'size 7']);
  });
});

test('scrapes wait for a late reading for a second, and share it', async () => {
  const meter = new Meter();
  const answer = Promise.withResolvers<number>();
  const read = vi.fn<() => Promise<number>>(() => answer.promise);
  meter.gauge('lag', 'Lag.', read);

  expect(await Promise.all([seriesOf(meter), seriesOf(meter)])).toEqual([[], []]);
  answer.resolve(5);

  expect(read).toHaveBeenCalledTimes(1);
  await vi.waitFor(async () => expect(await seriesOf(meter)).toEqual(['lag 5']));
});

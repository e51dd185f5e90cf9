import type { DataSource } from 'typeorm';
import { expect, onTestFinished, test, vi } from 'vitest';
import { Worker } from '../../../src/features/citus/worker.js';

test('a worker whose connections are busy is not lost as long as it runs statements', async () => {
  const check = vi.fn<() => Promise<never>>(() => new Promise<never>(() => undefined));
  const server = {
    query: async (text: string) => (text === 'SELECT 1' ? check() : []),
    destroy: async () => undefined,
  } as unknown as DataSource;
  const open = vi.fn<() => Promise<DataSource>>(async () => server);
  const worker = new Worker({ host: 'worker', port: 5432 }, open);
  onTestFinished(() => worker.close());
  worker.isSynced = true;
  await worker.watch();

  await vi.waitFor(
    async () => {
      await worker.ask((itself) => itself.query('SELECT'));
      expect(check).toHaveBeenCalledTimes(2);
    },
    { timeout: 10_000 },
  );

  expect(worker.isDetoured).toBe(false);
  expect(open).toHaveBeenCalledTimes(1);
});

import { defineConfig } from 'vitest/config';

const test = { include: ['test/hold/*.test.ts'], testTimeout: 1_800_000, hookTimeout: 60_000 };

export default defineConfig({
  test: {
    // They measure: one at a time, and each phase shows its line when it is over.
    maxWorkers: 1,
    fileParallelism: false,
    disableConsoleIntercept: true,
    projects: [
      { extends: true, test: { ...test, name: 'sqlite', provide: { database: 'sqlite' } } },
      {
        extends: true,
        test: {
          ...test,
          name: 'postgres',
          provide: { database: 'postgres' },
          globalSetup: ['test/support/postgres.setup.ts'],
        },
      },
    ],
  },
});

import { defineConfig } from 'vitest/config';

const test = { include: ['test/contract/*.test.ts'], testTimeout: 600_000, hookTimeout: 60_000 };

export default defineConfig({
  test: {
    // The tester keeps every core busy.
    fileParallelism: false,
    projects: [
      { test: { ...test, name: 'sqlite', provide: { database: 'sqlite' } } },
      {
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

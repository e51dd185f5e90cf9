import { defineConfig } from 'vitest/config';

const test = {
  testTimeout: 60_000,
  setupFiles: ['test/support/patience.setup.ts'],
  include: ['test/long/*.test.ts', 'test/durability.test.ts'],
};

export default defineConfig({
  test: {
    // Each keeps a client and a service busy, which is what two cores can do.
    fileParallelism: false,
    projects: [
      { test: { ...test, name: 'sqlite', provide: { database: 'sqlite', isLong: true } } },
      {
        test: {
          ...test,
          name: 'postgres',
          provide: { database: 'postgres', isLong: true },
          globalSetup: ['test/support/postgres.setup.ts'],
        },
      },
    ],
  },
});

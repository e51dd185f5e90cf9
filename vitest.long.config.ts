import { defineConfig } from 'vitest/config';

const include = ['test/long/*.test.ts'];

export default defineConfig({
  test: {
    // Each keeps a client and a service busy, which is what two cores can do.
    fileParallelism: false,
    projects: [
      { test: { name: 'sqlite', include, provide: { database: 'sqlite' } } },
      {
        test: {
          name: 'postgres',
          include,
          provide: { database: 'postgres' },
          globalSetup: ['test/support/postgres.setup.ts'],
        },
      },
    ],
  },
});

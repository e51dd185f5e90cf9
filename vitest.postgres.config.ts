import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/** What a version of PostgreSQL decides. */
const include = [
  'test/{exactness,model}.test.ts',
  'test/{plants,store}/*.test.ts',
  'test/postgres/{distributed,instances,query-plans}.test.ts',
];

export default defineConfig({
  test: {
    // Most of them wait for the server.
    maxWorkers: availableParallelism() + 1,
    isolate: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    setupFiles: ['test/support/patience.setup.ts'],
    globalSetup: ['test/support/postgres.setup.ts'],
    projects: [
      {
        extends: true,
        test: {
          name: 'postgres',
          include,
          provide: { database: 'postgres', isLong: false, manyPlants: 1_000_000 },
        },
      },
    ],
  },
});

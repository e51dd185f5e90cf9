import { defineConfig } from 'vitest/config';

const test = {
  // Tests wait for processes and databases to start, on machines that may be slow.
  testTimeout: 60_000,
  hookTimeout: 60_000,
};

/** `test/` holds what is true of both databases, its folders `sqlite/` and `postgres/` what is true of one. */
export default defineConfig({
  test: {
    // Many tests wait for processes to start: one worker for each core, where Vitest would leave one idle.
    maxWorkers: '100%',
    projects: [
      { test: { ...test, name: 'units', include: ['src/**/*.spec.ts', 'test/project/*.test.ts'] } },
      {
        test: {
          ...test,
          name: 'sqlite',
          include: ['test/*.test.ts', 'test/sqlite/*.test.ts'],
          provide: { database: 'sqlite' },
        },
      },
      {
        test: {
          ...test,
          name: 'postgres',
          include: ['test/*.test.ts', 'test/postgres/*.test.ts'],
          provide: { database: 'postgres' },
          globalSetup: ['test/support/postgres.setup.ts'],
        },
      },
    ],
  },
});

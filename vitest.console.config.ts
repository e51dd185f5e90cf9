import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/console/**/*.test.ts'],
    provide: { database: 'sqlite' },
    globalSetup: ['test/console/browser.setup.ts'],
    maxWorkers: '100%',
    isolate: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 15_000 } },
    // A browser on a busy machine may be late once; the report names the test. What is broken fails twice.
    retry: 1,
  },
});

import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/monitoring/*.test.ts'],
    globalSetup: ['test/support/postgres.setup.ts'],
    testTimeout: 120_000,
    hookTimeout: 60_000,
  },
});

import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/recipes/*.test.ts'],
    // Each runs commands that keep every core busy, and shows its line when it is over.
    maxWorkers: 1,
    testTimeout: 3_600_000,
    reporters: ['verbose'],
  },
});

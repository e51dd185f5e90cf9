import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/containers/*.test.ts'],
    testTimeout: 120_000,
    hookTimeout: 600_000,
  },
});

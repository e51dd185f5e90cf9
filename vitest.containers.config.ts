import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/containers/*.test.ts'],
    // They share the engine, and the image that they build.
    fileParallelism: false,
    testTimeout: 600_000,
    hookTimeout: 600_000,
  },
});

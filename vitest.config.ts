import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.spec.ts', 'test/*.test.ts'],
    testTimeout: 20_000,
  },
});

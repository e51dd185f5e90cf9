import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.spec.ts', 'test/*.test.ts'],
    testTimeout: 20_000,
    // Many tests wait for processes to start: one worker for each core, where Vitest would leave one idle.
    maxWorkers: '100%',
  },
});

import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/console/**/*.test.ts'],
    provide: { database: 'sqlite' },
    globalSetup: ['test/console/browser.setup.ts'],
    maxWorkers: '100%',
    isolate: false,
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});

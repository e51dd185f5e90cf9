import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/react-admin/*.test.ts'],
    provide: { database: 'sqlite' },
    globalSetup: ['test/console/browser.setup.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});

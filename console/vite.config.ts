import { join } from 'node:path';
import { defineConfig } from 'vite';

const outDir = join(import.meta.dirname, '..', 'dist', 'console');

const SERVICE = 'http://127.0.0.1:3000';

export default defineConfig(({ command }) => ({
  root: import.meta.dirname,
  // Behind any proxy, under any path.
  base: command === 'build' ? './' : '/console/',
  // `npm run start:console` shows every change at once, beside a service with the default settings.
  server: {
    proxy: {
      '^/(plants|tokens|webhooks|health|metrics|openapi.json|.well-known|console/sign-in.json)': SERVICE,
      '/docs/': { target: SERVICE, bypass: () => '/console/docs.html' },
    },
  },
  build: {
    rolldownOptions: {
      input: ['index.html', 'docs.html'].map((name) => join(import.meta.dirname, name)),
    },
    outDir,
    emptyOutDir: true,
    assetsDir: '',
    assetsInlineLimit: 0,
    // Swagger UI has 1.4 MB.
    chunkSizeWarningLimit: 1_500,
    modulePreload: { polyfill: false },
    license: { fileName: 'licenses.md' },
    target: ['chrome123', 'firefox135', 'safari18.4'],
  },
}));

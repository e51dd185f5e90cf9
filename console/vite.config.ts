import { join } from 'node:path';
import { defineConfig, type Plugin } from 'vite';

const outDir = join(import.meta.dirname, '..', 'dist', 'console');

const SERVICE = 'http://127.0.0.1:3000';

/** Imports parts of the page as they are: what Vite puts around an import preloads their styles, and they have none. */
const plainImports: Plugin = {
  name: 'plain-imports',
  enforce: 'pre',
  load: (id) =>
    id.includes('vite/preload-helper') ? 'export const __vitePreload = (load) => load();' : undefined,
};

export default defineConfig({
  root: import.meta.dirname,
  // Behind any proxy, under any path.
  base: './',
  plugins: [plainImports],
  // `npm run start:console` shows every change at once, beside a service with the default settings.
  server: {
    proxy: {
      '^/(plants|tokens|health|metrics|docs|openapi.json|.well-known)': SERVICE,
      '/sign-in.json': { target: SERVICE, rewrite: (path) => `/console${path}` },
    },
  },
  build: {
    outDir,
    emptyOutDir: true,
    assetsDir: '',
    assetsInlineLimit: 0,
    modulePreload: false,
    license: { fileName: 'licenses.md' },
    target: ['chrome123', 'firefox135', 'safari18.4'],
  },
});

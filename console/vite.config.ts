import { join } from 'node:path';
import { defineConfig, type Plugin } from 'vite';

const outDir = join(import.meta.dirname, '..', 'dist', 'console');

const SERVICE = 'http://127.0.0.1:3000';

/** Puts a script of its own before that of the console, which asks for plants while the other one is loaded. */
const earlyScript: Plugin = {
  name: 'early-script',
  transformIndexHtml: (_html, { bundle, path }) => {
    const chunk = Object.values(bundle ?? {}).find(({ name }) => name === 'first-page');
    if (chunk === undefined || path !== '/index.html') return [];
    return [
      {
        tag: 'script',
        attrs: { type: 'module', async: true, src: `./${chunk.fileName}` },
        injectTo: 'head-prepend',
      },
    ];
  },
};

export default defineConfig(({ command }) => ({
  root: import.meta.dirname,
  // Behind any proxy, under any path.
  base: command === 'build' ? './' : '/console/',
  plugins: [earlyScript],
  // `npm run start:console` shows every change at once, beside a service with the default settings.
  server: {
    proxy: {
      '^/(plants|tokens|webhooks|health|metrics|openapi.json|.well-known|console/sign-in.json)': SERVICE,
      '/docs': { target: SERVICE, bypass: () => '/console/docs.html' },
    },
  },
  build: {
    rolldownOptions: {
      input: ['index.html', 'docs.html', 'src/service/first-page.ts'].map((name) =>
        join(import.meta.dirname, name),
      ),
    },
    outDir,
    emptyOutDir: true,
    assetsDir: '',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    license: { fileName: 'licenses.md' },
    target: ['chrome123', 'firefox135', 'safari18.4'],
  },
}));

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { defineConfig, type Plugin } from 'vite';

const outDir = join(import.meta.dirname, '..', 'dist', 'console');

/** Compresses what was built, so that the service never does. */
const compress: Plugin = {
  name: 'compress',
  closeBundle() {
    for (const name of readdirSync(outDir)) {
      const path = join(outDir, name);
      const content = readFileSync(path);
      writeFileSync(`${path}.gz`, gzipSync(content, { level: 9 }));
      writeFileSync(`${path}.br`, brotliCompressSync(content));
    }
  },
};

export default defineConfig({
  root: import.meta.dirname,
  // Behind any proxy, under any path.
  base: './',
  plugins: [compress],
  build: {
    outDir,
    emptyOutDir: true,
    assetsDir: '',
    assetsInlineLimit: 0,
    modulePreload: false,
    target: ['chrome123', 'firefox135', 'safari18.4'],
  },
});

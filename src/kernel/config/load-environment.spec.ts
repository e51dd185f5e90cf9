import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { loadEnvironment } from './load-environment.js';

test.for<[string, (path: string) => void, reason: string]>([
  ['a link to itself', (path) => symlinkSync('.env', path), 'the file .env cannot be read (ELOOP)'],
  ['UTF-16', (path) => writeFileSync(path, 'A=b', 'utf16le'), 'cannot be read (not UTF-8)'],
  ['Latin-1', (path) => writeFileSync(path, 'HOST=caf\u00e9', 'latin1'), 'cannot be read (not UTF-8)'],
  ['YAML', (path) => writeFileSync(path, `#\nA="\nB: 1"\nPORT: 1\n`), 'line 4 of the file .env is not'],
  ['a batch file', (path) => writeFileSync(path, 'set DATABASE_URL=sqlite:other.db'), 'line 1 of the file'],
  ['a line without =', (path) => writeFileSync(path, '\r\nHOST 0.0.0.0\r\n'), 'line 2 of the file'],
])('a .env that is %s is refused, and none of it is taken', ([, make, reason]) => {
  const folder = mkdtempSync(join(tmpdir(), 'plant-store-env-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, '.env');
  make(path);

  expect(() => loadEnvironment(path)).toThrow(reason);
});

// Builds the project: always, `--if-changed` when the sources are not those of the build, `--if-missing` when there is no build.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const COMMAND = 'tsc -p tsconfig.build.json && vite build console --logLevel warn';
const SOURCES = [
  'scripts/build.js',
  'console',
  'migrations',
  'package.json',
  'package-lock.json',
  'src',
  'tsconfig.json',
  'tsconfig.build.json',
];
/** Has the digest of the sources. A build writes it last. */
const STAMP = 'dist/sources.sha256';

/** A path and all that are in it, without what compilers note for themselves. */
function pathsIn(path) {
  if (!statSync(path).isDirectory()) return [path];
  const names = readdirSync(path, { recursive: true }).toSorted();
  return [path, ...names.filter((name) => !name.endsWith('.tsbuildinfo')).map((name) => join(path, name))];
}

/** Of contents instead of times: the files of a new version that is unpacked may be older than the build. */
function digestOfSources() {
  const hash = createHash('sha256');
  for (const path of SOURCES.flatMap(pathsIn))
    if (statSync(path).isFile()) hash.update(`${path}\0`).update(readFileSync(path)).update('\0');
  return hash.digest('hex');
}

function isCurrent() {
  if (!existsSync(STAMP) || readFileSync(STAMP, 'utf8') !== digestOfSources()) return false;
  // `npm run start:dev` writes to `dist` as well.
  const { mtimeMs } = statSync(STAMP);
  return pathsIn('dist').every((path) => statSync(path).mtimeMs <= mtimeMs);
}

const [condition] = process.argv.slice(2);
const isBuilt = existsSync('dist/src/main.js');
const hasTools = existsSync('node_modules/vite');
const isNeeded =
  condition === undefined || !isBuilt || (condition === '--if-changed' && hasTools && !isCurrent());
if (isNeeded && hasTools) {
  // What is saved during the build may not be in it.
  const digest = digestOfSources();
  process.exitCode = spawnSync(COMMAND, { shell: true, stdio: 'inherit' }).status ?? 1;
  if (process.exitCode === 0) writeFileSync(STAMP, digest);
} else if (isNeeded) {
  process.stderr.write(
    'The project is not built, and what builds it is not installed: run npm ci && npm run build first.\n',
  );
  process.exitCode = 1;
}

import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.js';

interface Package {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly license?: string;
  /** How packages said it before `license`. */
  readonly licenses?: readonly { readonly type: string }[];
  readonly dev?: true;
}

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Licenses that let anybody use, change and pass on a package, if its notice stays with it. */
const ALLOWED = new Set(['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT', 'Python-2.0']);

/** Packages that tell their license only in their README. */
const TOLD_ELSEWHERE: Readonly<Record<string, string>> = { pause: 'MIT' };

function readPackage(path: string): Package {
  return JSON.parse(readFileSync(join(ROOT, path), 'utf8')) as Package;
}

/** What the service needs to run, by the folders of the lock file. */
function productionPackages(): [folder: string, locked: Package][] {
  const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, Package>;
  };
  return Object.entries(lock.packages).filter(([folder, { dev }]) => folder !== '' && !dev);
}

function nameOf(folder: string): string {
  return folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length);
}

function licenseOf(folder: string, locked: Package): string | undefined {
  if (locked.license !== undefined) return locked.license;
  const { licenses } = readPackage(join(folder, 'package.json'));
  return licenses?.[0]?.type ?? TOLD_ELSEWHERE[nameOf(folder)];
}

describe('the packages that the service needs to run', () => {
  test('have licenses that are allowed', () => {
    const licenses = productionPackages().map(
      ([folder, locked]) => [folder, licenseOf(folder, locked)] as const,
    );

    expect(licenses.length).toBeGreaterThan(100);
    expect(licenses.filter(([, license = 'none']) => !ALLOWED.has(license))).toEqual([]);
  });
});

describe('npm start without the packages that build the project', () => {
  test('says what to do, and starts what is built', () => {
    const folder = temporaryFolder();
    for (const file of ['package.json', 'build-before.js'])
      copyFileSync(join(ROOT, file), join(folder, file));
    const start = () => spawnSync('npm', ['start'], { cwd: folder, encoding: 'utf8' });

    const failed = start();
    mkdirSync(join(folder, 'dist/src'), { recursive: true });
    writeFileSync(join(folder, 'dist/src/main.js'), `console.log('started')`);
    const started = start();

    expect(failed.status).toBe(1);
    expect(failed.stderr).toMatch(/^The project is not built, .+: run npm ci && npm run build first\.$/m);
    expect(started).toMatchObject({ status: 0, stdout: expect.stringContaining('\nstarted\n') });
  });
});

describe('the container image', () => {
  test('tells its title, description, version and license', () => {
    const { name, description, version, license } = readPackage('package.json');
    const dockerfile = readFileSync(join(ROOT, 'Dockerfile'), 'utf8');
    const labels = [...dockerfile.matchAll(/org\.opencontainers\.image\.(\w+)="([^"]+)"/g)];

    expect(Object.fromEntries(labels.map(([, label, value]) => [label, value]))).toEqual({
      title: name,
      description,
      version,
      licenses: license,
    });
    expect(readFileSync(join(ROOT, 'docker-compose.yml'), 'utf8')).toContain(
      `image: plant-store:${version}\n`,
    );
  });
});

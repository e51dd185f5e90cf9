import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
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
    mkdirSync(join(folder, 'scripts'));
    for (const file of ['package.json', 'scripts/build.js'])
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

describe('npm start', () => {
  const SOURCES = [
    'src/a.ts',
    'src/b/c.ts',
    'migrations/a.ts',
    'console/a.css',
    'tsconfig.json',
    'package-lock.json',
  ];

  /** A project whose compiler counts its runs, and fails as `src/a.ts` says. */
  function project() {
    const folder = temporaryFolder();
    const write = (path: string, content = '', mode = 0o644) => {
      mkdirSync(join(folder, path, '..'), { recursive: true });
      writeFileSync(join(folder, path), content, { mode });
    };
    mkdirSync(join(folder, 'scripts'));
    copyFileSync(join(ROOT, 'scripts/build.js'), join(folder, 'scripts/build.js'));
    for (const path of [...SOURCES, 'tsconfig.build.json']) write(path);
    write('package.json', '{ "type": "module" }');
    write('node_modules/vite/index.js');
    write('bin/vite', '#!/bin/sh\n', 0o755);
    write(
      'bin/tsc',
      '#!/bin/sh\necho >> builds; mkdir -p dist/src; cp src/a.ts dist/src/main.js; . src/a.ts\n',
      0o755,
    );
    const builds = () => readFileSync(join(folder, 'builds'), 'utf8').length;
    const start = () => {
      const env = { PATH: `${join(folder, 'bin')}:${process.env['PATH']}` };
      return spawnSync(process.execPath, ['scripts/build.js', '--if-changed'], { cwd: folder, env }).status;
    };
    return { folder, write, start, builds };
  }

  test('builds again when its sources or the build have changed, and only then', () => {
    const { folder, write, start, builds } = project();
    const at = (path: string) => join(folder, path);
    const changes: [string, () => void][] = [
      ['there is no build', () => undefined],
      ...SOURCES.map((path): [string, () => void] => [
        `${path} is another one, which is older than the build`,
        () => {
          write(path, ' ');
          utimesSync(at(path), 0, 0);
        },
      ]),
      ['a source is new', () => write('console/new/a.css')],
      ['a source has another name', () => renameSync(at('src/b'), at('src/d'))],
      ['a source is gone', () => rmSync(at('src/d/c.ts'))],
      ['the build is gone', () => rmSync(at('dist'), { recursive: true })],
      ['another compiler has written since', () => utimesSync(at('dist/src/main.js'), 1e10, 1e10)],
    ];

    for (const [index, [name, change]] of changes.entries()) {
      change();
      expect([start(), builds()], name).toEqual([0, index + 1]);
    }
    expect([start(), builds()], 'nothing has changed').toEqual([0, changes.length]);
  });

  test('builds again after a build that has failed', () => {
    const { write, start, builds } = project();
    write('src/a.ts', 'exit 3');

    expect([start(), start(), builds()]).toEqual([3, 3, 2]);
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

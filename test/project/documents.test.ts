import { execFile } from 'node:child_process';
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { DEFAULTS } from '../../src/config/environment.js';
import { ErrorValue, statusOf } from '../../src/errors/error-value.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const exec = promisify(execFile);
const ROOT = fileURLToPath(new URL('../..', import.meta.url));

function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

/** The first two cells of every row of the table under a heading of the README that begins with a quoted cell. */
function table(heading: string): [string, string][] {
  const [, section = ''] = read('README.md').split(`## ${heading}\n`);
  const [body = ''] = section.split('\n## ');
  return [...body.matchAll(/^\| `([^`]+)` +\| ([^|]+?) +\|/gm)].map(([, first = '', second = '']) => [
    first,
    second,
  ]);
}

/** Every match of the only group of a pattern in a file, once. */
function matches(path: string, pattern: RegExp): Set<string> {
  return new Set([...read(path).matchAll(pattern)].map(([, group = '']) => group));
}

const VARIABLES = new Set(Object.keys(DEFAULTS));
/** What docker-compose.yml reads for the containers beside the service. */
const VARIABLES_OF_COMPOSE = new Set(['POSTGRES_PASSWORD']);

describe('the documents', () => {
  test('list every setting, in the README, in .env.example and in docker-compose.yml', () => {
    const decidedByTheContainer = new Set(['HOST', 'DATABASE_URL']);

    expect(new Set(table('Settings').map(([name]) => name))).toEqual(VARIABLES);
    expect(matches('.env.example', /^#([A-Z_]+)=/gm)).toEqual(VARIABLES.union(VARIABLES_OF_COMPOSE));
    expect(matches('docker-compose.yml', /\$\{([A-Z_]+)/g)).toEqual(
      VARIABLES.difference(decidedByTheContainer).union(VARIABLES_OF_COMPOSE),
    );
  });

  test('tell the true defaults, in the README and in .env.example', () => {
    const fixed = Object.entries(DEFAULTS).filter(([, value]) => value !== undefined);
    const example = read('.env.example');
    const readme = Object.fromEntries(table('Settings'));

    for (const [name, value] of fixed) {
      expect(example).toContain(`\n#${name}=${String(value)}\n`);
      expect(readme[name]).toBe(`\`${String(value)}\``);
    }
  });

  test('tell the defaults of docker-compose.yml in .env.example', () => {
    for (const name of VARIABLES_OF_COMPOSE) {
      const defaults = matches('docker-compose.yml', new RegExp(`\\$\\{${name}:-(.*?)\\}`, 'g'));

      expect(matches('.env.example', new RegExp(`^#${name}=(.*)$`, 'gm'))).toEqual(defaults);
    }
    const [delay] = matches('docker-compose.yml', /\$\{SHUTDOWN_DELAY_MS:-(\d+)\}/g);
    expect(read('.env.example')).toContain(`(Behind the load balancer of docker-compose.yml: ${delay}.)`);
  });

  test('list every error value with its status in the README', () => {
    const fixedByTheContract = new Set<number>([ErrorValue.IdTaken, ErrorValue.Unexpected]);

    const documented = table('Errors').map(([value, status]) => [Number(value), Number.parseInt(status, 10)]);

    expect(documented).toEqual(
      Object.values(ErrorValue).map((value) => [
        value,
        fixedByTheContract.has(value) ? 400 : statusOf(value),
      ]),
    );
  });

  test('show how to add an endpoint in a way that works', { timeout: 180_000 }, async () => {
    const copy = temporaryFolder();
    for (const path of [
      'examples',
      'migrations',
      'package.json',
      'src',
      'test',
      'tsconfig.json',
      'vitest.config.ts',
    ]) {
      cpSync(join(ROOT, path), join(copy, path), { recursive: true });
    }
    symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
    const patches = [...read('CONTRIBUTING.md').matchAll(/^```diff\n([^]*?)^```$/gm)].map(
      ([, patch]) => patch,
    );
    writeFileSync(join(copy, 'example.patch'), patches.join(''));
    const node = async (...args: string[]) => exec(process.execPath, args, { cwd: copy });

    await exec('git', ['apply', 'example.patch'], { cwd: copy });
    await node('node_modules/typescript/bin/tsc', '--noEmit', '--incremental', 'false');
    const { stdout } = await node(
      'node_modules/vitest/vitest.mjs',
      'run',
      'test/count-plants.test.ts',
      'test/contract.test.ts',
    );

    expect(patches).toHaveLength(3);
    expect(stdout).toMatch(/Test Files .*4 passed/);
  });
});

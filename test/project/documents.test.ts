import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { SETTINGS } from '../../src/app.module.js';
import { variablesOf } from '../../src/kernel/config/configuration.js';
import { ErrorValue, statusOf } from '../../src/kernel/errors/error-value.js';
import { plantStore } from '../support/command-line.js';
import { startService } from '../support/service.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

/** The first two cells of every row of the table under a heading of a document that begins with a quoted cell. */
function table(path: string, heading: string): [string, string][] {
  const [, section = ''] = read(path).split(`## ${heading}\n`);
  const [body = ''] = section.split('\n## ');
  return [...body.matchAll(/^\| `([^`]+)` +\| ([^|]+?) +\|/gm)].map(([, first = '', second = '']) => [
    first,
    second,
  ]);
}

/** The documents for users. */
const DOCUMENTS = [
  'README.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  '.github/SECURITY.md',
  'examples/react-admin/README.md',
  'clients/typescript/README.md',
  ...readdirSync(join(ROOT, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

/** The fragments by which links lead to the headings of a document. */
function fragments(path: string): Set<string> {
  const headings = [...read(path).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading);
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\w -]/g, '')
        .replaceAll(' ', '-'),
    ),
  );
}

/** Every match of the only group of a pattern in a file, once. */
function matches(path: string, pattern: RegExp): Set<string> {
  return new Set([...read(path).matchAll(pattern)].map(([, group = '']) => group));
}

const VARIABLES = new Set(SETTINGS.flatMap(variablesOf).map(({ name }) => name));
/** What docker-compose.yml reads for the containers beside the service. */
const VARIABLES_OF_COMPOSE = new Set(['POSTGRES_PASSWORD']);

describe('the documents', () => {
  test('list in .env.example every variable that docker-compose.yml reads, with its default', () => {
    expect(matches('docker-compose.yml', /\$\{([A-Z_]+)/g).difference(VARIABLES)).toEqual(
      VARIABLES_OF_COMPOSE,
    );
    for (const name of VARIABLES_OF_COMPOSE) {
      const defaults = matches('docker-compose.yml', new RegExp(`\\$\\{${name}:-(.*?)\\}`, 'g'));

      expect(matches('.env.example', new RegExp(`^#${name}=(.*)$`, 'gm'))).toEqual(defaults);
    }
    const [delay] = matches('docker-compose.yml', /\$\{SHUTDOWN_DELAY_MS:-(\d+)\}/g);
    expect(read('.env.example')).toContain(`sets SHUTDOWN_DELAY_MS to ${delay}`);
  });

  test('list every error value with its status in docs/api.md', async () => {
    const fixedByTheContract = new Set<number>([ErrorValue.IdTaken, ErrorValue.Unexpected]);

    const service = await startService();
    const contract = (await service.request('/openapi.json')).text;
    const inContract = Array.from(contract.matchAll(/"error":(\d{5})/g), ([, value]) => Number(value));
    const values = new Set([...Object.values(ErrorValue), ...inContract]);

    const documented = table('docs/api.md', 'Errors').map(([value, status]) => [
      Number(value),
      Number.parseInt(status, 10),
    ]);

    expect(documented).toEqual(
      [...values]
        .toSorted((a, b) => a - b)
        .map((value) => [value, fixedByTheContract.has(value) ? 400 : statusOf(value)]),
    );
  });

  test.for(DOCUMENTS)('have only links that lead somewhere: %s', (path) => {
    const links = [...read(path).matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)/g)];

    for (const [link, target = '', fragment] of links) {
      const file = target === '' ? path : join(dirname(path), target);
      expect(existsSync(join(ROOT, file)), link).toBe(true);
      if (fragment !== undefined) expect(fragments(file), link).toContain(fragment);
    }
  });

  test('show every command of plant-store', async () => {
    const texts = DOCUMENTS.map(read).join('\n');
    const commandsOf = async (...parents: string[]) => {
      const { code, stdout } = await plantStore({ url: 'sqlite::memory:' }, [...parents, '--help']);
      expect(code, parents.join(' ')).toBe(0);
      const [, list = ''] = stdout.split('Commands:\n');
      const names = Array.from(list.matchAll(/^ {2}(\S+)/gm), ([, name = '']) => name);
      return names.filter((name) => name !== 'help').map((name) => parents.concat(name));
    };
    const commands = await commandsOf();
    for (const command of commands) commands.push(...(await commandsOf(...command)));

    const missing = commands
      .map((words) => `plant-store ${words.join(' ')}`)
      .filter((command) => !texts.includes(command));

    expect(commands).toContainEqual(['token', 'create']);
    expect(missing, 'show these commands in a document of docs/').toEqual([]);
  });

  test('begin with a README of 200 lines at most', () => {
    expect(read('README.md').split('\n').length).toBeLessThanOrEqual(200);
  });
});

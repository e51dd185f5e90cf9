import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

const ROOT = new URL('../../', import.meta.url);

function read(path: string): string {
  return readFileSync(new URL(path, ROOT), 'utf8');
}

function foldersOf(path: string): string[] {
  return readdirSync(new URL(path, ROOT), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => `${path}${name}/`);
}

const CONTRIBUTING = read('CONTRIBUTING.md');
const EXTENDING = read('docs/extending.md');

const flat = (code: string) => code.replaceAll(/\s+/g, '');

describe('CONTRIBUTING.md', () => {
  test('has 150 lines at most', () => {
    expect(CONTRIBUTING.trimEnd().split('\n').length).toBeLessThanOrEqual(150);
  });

  test('names every folder of the sources and of the tests, except features', () => {
    const leftOut = new Set(['src/kernel/', 'test/contract/', 'test/support/']);
    const folders = [...foldersOf('src/'), ...foldersOf('src/kernel/'), ...foldersOf('test/')].filter(
      (name) => !leftOut.has(name),
    );

    expect(folders.filter((name) => !CONTRIBUTING.includes(`\`${name}\``))).toEqual([]);
  });

  test('lists the layers from the ground up, as the linter knows them', () => {
    const [, layers = ''] = /const LAYERS = \[\n([^]*?)\n\];/.exec(read('oxlint.config.ts')) ?? [];
    const known = [...layers.matchAll(/'(\w+)'/g)].map(([, name]) => name);

    const listed = [...CONTRIBUTING.matchAll(/^\| (`src\/kernel\/\w+\/`[^|]*)\|/gm)].flatMap(([, row = '']) =>
      [...row.matchAll(/`src\/kernel\/(\w+)\/`/g)].map(([, name]) => name),
    );

    expect(known).not.toEqual([]);
    expect(listed.slice(0, known.length)).toEqual(known);
  });

  test('leads to docs/extending.md, whose code the extension has', () => {
    const sources = readdirSync(new URL('test/extension/', ROOT), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => read(`test/extension/${name}`));
    const [, section = ''] = /([^]+?)^## Changing the schema/m.exec(EXTENDING) ?? [];
    const examples = Array.from(section.matchAll(/```(?:ts|sql)\n([^]+?)```/g), ([, code = '']) => code);

    // The plugin adds the first two to the sources of plants.
    const [, , ...others] = examples;

    expect(others.length).toBeGreaterThan(1);
    expect(others.filter((code) => !sources.some((source) => flat(source).includes(flat(code))))).toEqual([]);
  });

  test('shows only commands that exist', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const shown = [...`${CONTRIBUTING}${EXTENDING}`.matchAll(/npm run (\w[\w:-]*)/g)].map(
      ([, name = '']) => name,
    );

    expect(shown.filter((name) => !(name in scripts))).toEqual([]);
  });
});

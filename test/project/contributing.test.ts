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

describe('CONTRIBUTING.md', () => {
  test('names every folder of the sources and of the tests, except features', () => {
    const features = [...read('src/features.ts').matchAll(/'\.\/(\w+)\//g)].map(([, name]) => `src/${name}/`);
    const leftOut = new Set([...features, 'test/contract/', 'test/support/']);
    const folders = [...foldersOf('src/'), ...foldersOf('test/')].filter((name) => !leftOut.has(name));

    expect(features).toContain('src/plants/');
    expect(folders.filter((name) => !CONTRIBUTING.includes(`\`${name}\``))).toEqual([]);
  });

  test('lists the layers from the ground up, as the linter knows them', () => {
    const [, layers = ''] = /const LAYERS = \[\n([^]*?)\n\];/.exec(read('oxlint.config.ts')) ?? [];
    const known = [...layers.matchAll(/'(\w+)'/g)].map(([, name]) => name);

    const listed = [...CONTRIBUTING.matchAll(/^\| (`src\/\w+\/`[^|]*)\|/gm)].flatMap(([, row = '']) =>
      [...row.matchAll(/`src\/(\w+)\/`/g)].map(([, name]) => name),
    );

    expect(known).not.toEqual([]);
    expect(listed.slice(0, known.length)).toEqual(known);
  });

  test('has a row and a section for every recipe', () => {
    const recipes = readdirSync(new URL('recipes/', ROOT)).toSorted();
    const rows = [...CONTRIBUTING.matchAll(/^\| \[`recipes\/(\S+)`\]/gm)].map(([, name = '']) => name);
    const sections = [...CONTRIBUTING.matchAll(/^### (?:A|An) (.+)$/gm)].map(
      ([, title = '']) => `${title.replaceAll(' ', '-')}.patch`,
    );

    expect(rows.toSorted()).toEqual(recipes);
    expect(sections.toSorted()).toEqual(recipes);
  });

  test('shows only commands that there are', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const shown = [...CONTRIBUTING.matchAll(/npm run ([\w:]+)/g)].map(([, name = '']) => name);

    expect(shown.filter((name) => !(name in scripts))).toEqual([]);
  });
});

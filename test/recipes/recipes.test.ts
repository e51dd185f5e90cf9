import { execFile } from 'node:child_process';
import { cpSync, readdirSync, symlinkSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** What a copy of the project does not take along, in the folder of the project. */
const LEFT_OUT = new Set(['node_modules', 'dist', 'data', '.git']);

/** Made anew by a command, so that two recipes never have to agree on it. */
const GENERATED = 'examples/typescript-client/generated';

/** The tests of what every recipe is a part of: the contract, the documents and the example client. */
const SHARED_TESTS = ['http/contract', 'example-client', 'readme', 'http/routes'].map(
  (name) => `test/${name}.test.ts`,
);

const RECIPES = readdirSync(join(ROOT, 'recipes')).toSorted();

/** One file of a patch. */
interface Change {
  readonly path: string;
  readonly added: number;
  readonly isNew: boolean;
}

/** A copy of the project in a folder of its own, which is gone when the test is over. */
function copyProject(): string {
  const copy = temporaryFolder();
  cpSync(ROOT, copy, { recursive: true, filter: (path) => !LEFT_OUT.has(relative(ROOT, path)) });
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  return copy;
}

/** Runs a command in a copy; when it fails, so does the test, with everything that the command has written. */
function run(copy: string, command: string, ...args: string[]): Promise<string> {
  // The tests of the copy are not those of this run, and the copy is in no repository.
  const own = Object.entries(process.env).filter(([name]) => !/^(VITEST|NODE_ENV$|GIT_)/.test(name));
  const env = { ...Object.fromEntries(own), GIT_CEILING_DIRECTORIES: dirname(copy) };
  return new Promise((resolve, reject) => {
    execFile(command, args, { cwd: copy, env, maxBuffer: Infinity }, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(new Error(`${[command, ...args].join(' ')} failed:\n${stdout}${stderr}`));
    });
  });
}

/** What `git` says of a recipe: the files that it changes, and by how many lines. */
async function changesOf(recipe: string): Promise<Change[]> {
  const lines = await run(ROOT, 'git', 'apply', '--numstat', '--summary', join('recipes', recipe));
  const created = new Set([...lines.matchAll(/^ create mode \d+ (.+)$/gm)].map(([, path]) => path));
  return [...lines.matchAll(/^(\d+)\t\d+\t(.+)$/gm)].map(([, added, path = '']) => ({
    path,
    added: Number(added),
    isNew: created.has(path),
  }));
}

function linesOf(changes: readonly Change[]): number {
  return changes.reduce((lines, { added }) => lines + added, 0);
}

const isSource = ({ path }: Change) => /^(src|migrations)\//.test(path);
const isTest = ({ path }: Change) => path.startsWith('test/');

describe('a recipe', () => {
  test.for(RECIPES)('changes no test that there is: %s', async (recipe) => {
    const tests = (await changesOf(recipe)).filter(isTest);

    expect(tests).not.toEqual([]);
    expect(tests.filter(({ isNew }) => !isNew)).toEqual([]);
  });

  test.for([
    ['field.patch', 4, 25],
    ['endpoint.patch', 4, 90],
    ['endpoint-that-writes.patch', 4, 90],
  ] as const)(
    'is short: %s changes %i files of the service by %i lines at most',
    async ([recipe, files, lines]) => {
      const sources = (await changesOf(recipe)).filter(isSource);

      expect(sources.length).toBeLessThanOrEqual(files);
      expect(linesOf(sources)).toBeLessThanOrEqual(lines);
    },
  );

  test('is short: a resource takes 10 new files with 260 lines at most, and two lines elsewhere', async () => {
    const changes = (await changesOf('resource.patch')).filter(
      (change) => isSource(change) || isTest(change),
    );
    const files = changes.filter(({ isNew }) => isNew);

    expect(files.length).toBeLessThanOrEqual(10);
    expect(linesOf(files)).toBeLessThanOrEqual(260);
    expect(linesOf(changes) - linesOf(files)).toBe(2);
  });

  test.for(RECIPES)('holds by itself: %s', async (recipe) => {
    const copy = copyProject();
    const added = (await changesOf(recipe)).filter(isTest).map(({ path }) => path);

    await run(copy, 'git', 'apply', join('recipes', recipe));

    for (const script of ['check:format', 'check:lint', 'check:types', 'build'])
      await run(copy, 'npm', 'run', script);
    await run(copy, 'npx', 'vitest', 'run', ...added, ...SHARED_TESTS);
  });
});

test('all recipes together pass the whole check', async () => {
  const copy = copyProject();

  for (const recipe of RECIPES)
    await run(copy, 'git', 'apply', `--exclude=${GENERATED}/*`, join('recipes', recipe));
  await run(copy, 'npm', 'run', 'generate:client');

  await run(copy, 'npm', 'run', 'check');
});

import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { plantStore } from '../support/command-line.js';
import { emptyDatabase } from '../support/database.js';
import { temporaryFolder } from '../support/temporary-folder.js';

describe('plant-store', () => {
  test.for([
    ['an unknown command', ['nonsense'], 2, /unknown command/],
    ['a token without a name', ['token', 'create'], 2, /--name/],
    ['a scope that there is not', ['token', 'create', '--name', 'x', '--scope', 'all'], 2, /plants:write/],
    ['an expiry that is no number', ['token', 'create', '--name', 'x', '--expires-in', 'soon'], 2, /days/],
    ['an expiry in the past', ['token', 'create', '--name', 'x', '--expires-in', '-1'], 2, /days/],
    ['a token that there is not', ['token', 'revoke', 'nobody'], 1, /no token nobody/],
    ['a file that there is not', ['import', '/nowhere/x'], 1, /^ENOENT: .*'\/nowhere\/x'\n$/],
    ['a resource that there is not', ['export', '--of', 'stones'], 2, /choices are .*plants/],
    ['a folder that there is not', ['export', '--output', '/nowhere/x'], 1, /^ENOENT: .*'\/nowhere\/x'\n$/],
  ] as const)('refuses %s', async ([, args, code, reason]) => {
    const database = await emptyDatabase();
    await plantStore(database, ['import']);

    const result = await plantStore(database, args);

    expect(result).toMatchObject({ code, stdout: '' });
    expect(result.stderr).toMatch(reason);
  });

  test.for([[['token', 'list']], [['token', 'revoke', 'x']], [['export']]])(
    'makes no database that is not there: %s',
    async ([args = []]) => {
      const database = await emptyDatabase();
      const path = database.url.slice('sqlite:'.length);

      const result = await plantStore(database, args);

      expect(result).toEqual({ code: 1, stdout: '', stderr: `The database file ${path} does not exist.\n` });
      expect(existsSync(path)).toBe(false);
    },
  );

  test('fails with one sentence when the database cannot be used', async () => {
    const result = await plantStore({ url: 'sqlite:/dev/null/x' }, ['token', 'list']);

    expect(result).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^The database file .+\n$/),
    });
  });

  test('import refuses bad lines with their number and a reason, imports the others, and fails', async () => {
    const database = await emptyDatabase();
    const file = join(temporaryFolder(), 'plants.ndjson');
    const lines = [
      '{"id":1,"name":"good"}',
      '',
      'nonsense',
      '{"id":1,"name":"another"}',
      '{"id":2,"name":"good"}',
    ];
    writeFileSync(file, lines.join('\n'));

    const result = await plantStore(database, ['import', file]);

    expect(result).toMatchObject({ code: 1, stdout: '' });
    expect(result.stderr.split('\n')).toEqual([
      'Line 3: The line must be valid JSON.',
      'Line 4: id 1 belongs to another plant.',
      'Imported 2 plants; 2 lines were refused.',
      'Not every line could be imported.',
      '',
    ]);
    expect((await database.plants()).map(({ id }) => id)).toEqual([1n, 2n]);
  });
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, inject, test, vi } from 'vitest';
import { plantStore } from '../../support/command-line.js';
import { emptyDatabase } from '../../support/database.js';
import { numberedLines, PLANT_LINES, withoutOtherFields } from '../../support/plants.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

test('what plant-store imports, perhaps twice, it exports to the byte, also to a file', async () => {
  const database = await emptyDatabase();
  const file = join(temporaryFolder(), 'plants.ndjson');

  const some = await plantStore(database, ['import'], PLANT_LINES.slice(0, 3).join(''));
  const all = await plantStore(database, ['import'], PLANT_LINES.toReversed().join(''));
  const exported = await plantStore(database, ['export', '--of', 'plants']);
  const written = await plantStore(database, ['export', '--output', file]);

  expect(some).toEqual({ code: 0, stdout: '', stderr: 'Imported 3 plants; 0 lines were refused.\n' });
  // Those that are there already are left alone, and count as stored.
  expect(all).toEqual({ code: 0, stdout: '', stderr: 'Imported 5 plants; 0 lines were refused.\n' });
  expect(exported).toMatchObject({ code: 0, stderr: 'Exported 5 plants.\n' });
  expect(withoutOtherFields(exported.stdout)).toBe(PLANT_LINES.join(''));
  expect(written).toEqual({ code: 0, stdout: '', stderr: 'Exported 5 plants.\n' });
  expect(readFileSync(file, 'utf8')).toBe(exported.stdout);
});

// On SQLite, a command waits twice as long for a lock.
test.runIf(inject('database') === 'postgres')(
  'plant-store import stops at the first line that the store cannot take now',
  async () => {
    const database = await emptyDatabase();
    const input = new PassThrough();
    const command = plantStore(database, ['import'], input);
    input.write(numberedLines(1000));
    await vi.waitUntil(async () => (await database.plants().catch(() => [])).length === 1000, {
      timeout: 10_000,
    });

    await database.execute('BEGIN; LOCK TABLE plants');
    input.end('{"id":1001,"name":"plant 1001"}\nnonsense\n{"id":1002,"name":"plant 1002"}\n');
    const { code, stderr } = await command;
    await database.execute('ROLLBACK');

    expect(code).toBe(1);
    expect(stderr).toBe(
      'Line 1001: The store cannot be used at the moment. Repeat the import: what is stored counts as imported.\n',
    );
    expect(await database.plants()).toHaveLength(1000);
  },
);

import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { plantStore } from './support/command-line.js';
import { emptyDatabase, emptySqlite, type TestDatabase } from './support/database.js';
import { freePort, query } from './support/postgres-server.js';
import { startService, TOKEN } from './support/service.js';
import { temporaryFolder } from './support/temporary-folder.js';

const DATABASE = inject('database');

/** Whether this machine lets the tests mount a small disk. */
const CAN_MOUNT = spawnSync('unshare', ['--mount', 'true']).status === 0;

/** A database on which a service has run once: it has the token of the tests, with the id `bootstrap`. */
async function usedDatabase(): Promise<TestDatabase> {
  const database = await emptyDatabase();
  const service = await startService({}, database);
  await service.stop();
  await database.execute(`UPDATE access_tokens SET id = 'bootstrap'`);
  return database;
}

function expireAfter(days: number): string {
  const time = new Date(Date.now() + days * 86_400_000).toISOString();
  return `UPDATE access_tokens SET expires_at = '${time}'`;
}

describe('plant-store doctor', () => {
  test('finds nothing wrong with a store in use, and ends with 0', async () => {
    const database = await usedDatabase();
    await startService({}, database);

    const { code, stdout, stderr } = await plantStore(database, ['doctor']);

    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const states = [...stdout.matchAll(/^(\w+) +(\w+) /gm)].map(([, state, check]) => `${state} ${check}`);
    expect(states).toEqual([
      'ok settings',
      ...(DATABASE === 'sqlite' ? ['ok disk'] : []),
      'ok database',
      // The servers of the tests are fast because they do not sync.
      ...(DATABASE === 'postgres' ? ['warning durability'] : []),
      'ok schema',
      'ok tokens',
    ]);
  });

  test.for<[string, string, RegExp]>([
    [
      'has no token',
      'DELETE FROM access_tokens',
      /^warning +tokens +There is no token\. The next start makes/m,
    ],
    [
      'has only revoked tokens',
      'UPDATE access_tokens SET revoked_at = created_at',
      /^problem +tokens +No token is valid.* Run plant-store token create\.\nwarning +tokens +BOOTSTRAP_TOKEN is the token bootstrap, which is revoked/m,
    ],
    [
      'has no token with admin',
      `UPDATE access_tokens SET scopes = 'plants:read metrics:read'`,
      /^warning +tokens +1 of 1 are valid, but none with the scope admin: .* Run plant-store token create --scope admin\.$/m,
    ],
    ['has only expired tokens', expireAfter(-1), /^problem +tokens +No token is valid/m],
    [
      'has an expired token',
      expireAfter(-1),
      /^warning +tokens +Expired: bootstrap \(bootstrap\) on 20\d\d-/m,
    ],
    [
      'has a token that ends soon',
      expireAfter(13),
      /^warning +tokens +Within 14 days expire: bootstrap \(bootstrap\) on/m,
    ],
    ['has a token that ends later', expireAfter(15), /^ok +tokens +1 of 1 are valid\.$/m],
    [
      'is of a newer version',
      "INSERT INTO migrations (timestamp, name) VALUES (1763700009999, 'FromTheFuture')",
      /^problem +schema +.*it has the migration FromTheFuture\. Run that version/m,
    ],
    [
      'has a pending migration',
      "DELETE FROM migrations WHERE name = 'OrderPlants1763700000003'",
      /^warning +schema +Migrations are pending: OrderPlants1763700000003\. Make a backup/m,
    ],
  ])('sees that a store %s, and changes nothing', async ([, sql, line]) => {
    const database = await usedDatabase();
    await database.execute(sql);
    const before = await database.dump();

    const { stdout } = await plantStore(database, ['doctor'], '', { BOOTSTRAP_TOKEN: TOKEN });

    expect(stdout).toMatch(line);
    expect(await database.dump()).toBe(before);
  });

  test('stops at settings that are not valid, and names them', async () => {
    const database = await emptyDatabase();

    const { code, stdout, stderr } = await plantStore(database, ['doctor', '--json'], '', { PORT: 'x' });

    expect(code).toBe(1);
    expect(JSON.parse(stderr)).toEqual({ message: '1 of 1 checks failed.' });
    expect(JSON.parse(stdout)).toMatchObject([
      { check: 'settings', state: 'problem', message: expect.stringContaining('PORT must be') },
    ]);
  });

  test('shows the settings that are in effect, without secrets', async () => {
    const database = await emptyDatabase();
    const environment = { BOOTSTRAP_TOKEN: TOKEN, CORS_ORIGINS: 'https://app.example.org' };

    const { stdout } = await plantStore(database, ['doctor'], '', environment);

    expect(stdout).toMatch(
      /^ok +settings +Valid; DATABASE_URL=\(set\) BOOTSTRAP_TOKEN=\(set\) CORS_ORIGINS=https:\/\/app\.example\.org\.$/m,
    );
    expect(stdout).not.toMatch(new RegExp(`${TOKEN}|secret`));
  });

  test('fails on warnings if it is asked to', async () => {
    const database = await usedDatabase();
    await database.execute(expireAfter(1));

    expect(await plantStore(database, ['doctor'])).toMatchObject({ code: 0, stderr: '' });
    expect(await plantStore(database, ['doctor', '--strict'])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^\d of \d checks failed\.\n$/),
    });
  });
});

describe.runIf(DATABASE === 'sqlite')('plant-store doctor on SQLite', () => {
  test.for<[string, (path: string) => void, RegExp]>([
    ['not there', () => undefined, /^problem +database +The database file \S+ does not exist\. /m],
    [
      'no database',
      (path) => writeFileSync(path, 'nonsense '.repeat(1000)),
      /^problem +database +.* is not a SQLite database\. /m,
    ],
    ['a folder', (path) => mkdirSync(path), /^problem +database +.* cannot be opened\. /m],
  ])('says what is wrong with a file that is %s', async ([, prepare, line]) => {
    const database = emptySqlite();
    const path = database.url.slice('sqlite:'.length);
    prepare(path);
    const isThere = existsSync(path);

    const { code, stdout } = await plantStore(database, ['doctor']);

    expect(code).toBe(1);
    expect(stdout).toMatch(line);
    expect(existsSync(path)).toBe(isThere);
  });

  test.runIf(CAN_MOUNT).for<[string, number, RegExp]>([
    ['full', 2_000_000, /^problem +disk +The disk of \S+ is full: 1 MB are free, and writes fail\. See/m],
    ['filling up', 20_000_000, /^warning +disk +The disk of \S+ has \d+ MB left\. See/m],
  ])('says that the disk is %s', async ([, size, line]) => {
    const folder = temporaryFolder();
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder]);
    onTestFinished(() => void execFileSync('umount', [folder]));
    const database = emptySqlite(join(folder, 'plant-store.db'));
    await plantStore(database, ['import']);

    const { code, stdout } = await plantStore(database, ['doctor']);

    expect(stdout).toMatch(line);
    expect(code).toBe(line.source.startsWith('^problem') ? 1 : 0);
  });

  test('leaves the log of a store that was not stopped', async () => {
    const service = await startService({}, emptySqlite());
    await service.create({ id: 1, name: 'Aloe' });
    const [original, copy] = [service.database.url.slice('sqlite:'.length), emptySqlite()];
    const path = copy.url.slice('sqlite:'.length);
    for (const suffix of ['', '-wal']) copyFileSync(original + suffix, path + suffix);

    const { code } = await plantStore(copy, ['doctor']);

    expect(code).toBe(0);
    expect(readdirSync(dirname(path))).toContain('plant-store.db-wal');
    for (const suffix of ['', '-wal'])
      expect(readFileSync(path + suffix).equals(readFileSync(original + suffix))).toBe(true);
  });
});

describe.runIf(DATABASE === 'postgres')('plant-store doctor on PostgreSQL', () => {
  test('tells the version, the encoding, and what is not synced, and makes no tables, nor does a list', async () => {
    const { url } = await emptyDatabase();

    const { stdout } = await plantStore({ url }, ['doctor']);
    const list = await plantStore({ url }, ['token', 'list']);

    expect(list).toMatchObject({ code: 1, stderr: expect.stringMatching(/^Migrations are pending: /) });
    expect(stdout).toMatch(
      /^ok +database +PostgreSQL at 127\.0\.0\.1:\d+\/\w+ has version \d+\.\d+ and the encoding UTF8\.$/m,
    );
    expect(stdout).toMatch(/^warning +durability +PostgreSQL runs without fsync, full_page_writes: /m);
    expect(stdout).toMatch(/^warning +schema +Migrations are pending: .*CreatePlants/m);
    expect(stdout).not.toContain('secret');
    expect(await query(url, 'SELECT * FROM pg_tables WHERE schemaname = current_schema()')).toEqual([]);
  });

  test('says in one line that nobody answers', async () => {
    const { code, stdout } = await plantStore(
      { url: `postgres://user:secret@127.0.0.1:${await freePort()}/plants` },
      ['doctor'],
    );

    expect(code).toBe(1);
    expect(stdout).toMatch(/^problem +database +The database PostgreSQL at \S+ cannot be reached/m);
    expect(stdout).not.toContain('secret');
  });
});

import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { plantStore } from './support/command-line.js';
import { emptyDatabase, type TestDatabase } from './support/database.js';
import { startService, TOKEN } from './support/service.js';

interface Finding {
  readonly check: string;
  readonly state: string;
  readonly message: string;
  readonly advice?: string;
}

const MS_PER_DAY = 86_400_000;

/** The servers of the tests are fast because they do not sync. */
const NO_SYNC = 'durability';

/** A database on which a service has run once: it has the token of the tests, with the id `bootstrap`. */
async function usedDatabase(): Promise<TestDatabase> {
  const database = await emptyDatabase();
  const service = await startService({}, database);
  await service.create({ id: 1, name: 'Aloe' });
  await service.stop();
  await database.execute(`UPDATE access_tokens SET id = 'bootstrap'`);
  return database;
}

/** What the doctor has to say about one check. */
async function findings(
  database: TestDatabase,
  check: string,
  environment: Record<string, string> = {},
): Promise<Finding[]> {
  const { stdout } = await plantStore(database, ['doctor', '--json'], '', environment);
  return (JSON.parse(stdout) as Finding[]).filter((finding) => finding.check === check);
}

function expireAfter(days: number): string {
  const time = new Date(Date.now() + days * MS_PER_DAY).toISOString();
  return `UPDATE access_tokens SET expires_at = '${time}'`;
}

describe('plant-store doctor', () => {
  test('finds nothing wrong with a store in use, and ends with 0', async () => {
    const database = await usedDatabase();
    await startService({}, database);

    const { code, stdout, stderr } = await plantStore(database, ['doctor', '--deep']);

    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const [heading = '', ...lines] = stdout.trimEnd().split('\n');
    expect(heading).toMatch(/^STATE +CHECK +FINDING$/);
    expect(lines.filter((line) => !line.startsWith('ok ') && !line.includes(NO_SYNC))).toEqual([]);
    for (const check of ['settings', 'database', 'schema', 'integrity', 'clock', 'tokens'])
      expect(stdout).toMatch(new RegExp(`^ok +${check} `, 'm'));
  });

  test.for<[string, string, string, RegExp]>([
    [
      'that nobody can use',
      `DELETE FROM access_tokens`,
      'warning',
      /There is no token\. The next start makes/,
    ],
    [
      'of which every token is revoked',
      `UPDATE access_tokens SET revoked_at = created_at`,
      'problem',
      /No token is valid.* Run plant-store token create\./,
    ],
    ['of which every token has expired', expireAfter(-1), 'problem', /No token is valid/],
    ['with a token that has expired', expireAfter(-1), 'warning', /Expired: bootstrap \(bootstrap\) on 20/],
    ['with a token that ends soon', expireAfter(13), 'warning', /Within 14 days expire: bootstrap/],
    ['with a token that ends later', expireAfter(15), 'ok', /1 of 1 are valid\./],
  ])('looks at the tokens of a store %s', async ([, sql, state, text]) => {
    const database = await usedDatabase();
    await database.execute(sql);

    const found = await findings(database, 'tokens');

    const texts = found.map((finding) => `${finding.state} ${finding.message} ${finding.advice}`);
    expect(texts).toContainEqual(expect.stringMatching(new RegExp(`^${state} .*${text.source}`)));
  });

  test('knows a BOOTSTRAP_TOKEN that is revoked', async () => {
    const database = await usedDatabase();
    await plantStore(database, ['token', 'create', '--name', 'another']);
    await plantStore(database, ['token', 'revoke', 'bootstrap']);

    const found = await findings(database, 'tokens', { BOOTSTRAP_TOKEN: TOKEN });

    expect(found).toMatchObject([
      { state: 'ok' },
      { state: 'warning', message: 'BOOTSTRAP_TOKEN is the token bootstrap, which is revoked and stays so.' },
    ]);
  });

  test('refuses a database of a newer version', async () => {
    const database = await usedDatabase();
    await database.execute(
      `INSERT INTO migrations (timestamp, name) VALUES (1763700009999, 'FromTheFuture1763700009999')`,
    );

    const [schema] = await findings(database, 'schema');

    expect(schema).toMatchObject({
      state: 'problem',
      message: expect.stringContaining('it has the migration FromTheFuture1763700009999'),
    });
  });

  test('sees migrations that are pending, and does not run them', async () => {
    const database = await usedDatabase();
    await database.execute(`DELETE FROM migrations WHERE name = 'OrderPlants1763700000003'`);

    const first = await findings(database, 'schema');
    const second = await findings(database, 'schema');

    expect(first).toMatchObject([{ state: 'warning', message: expect.stringContaining('OrderPlants') }]);
    expect(second).toEqual(first);
  });

  test('sees a clock that is wrong', async () => {
    const database = await usedDatabase();
    vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2024-01-01T00:00:00Z') });
    onTestFinished(() => void vi.useRealTimers());

    const [clock] = await findings(database, 'clock');

    expect(clock).toMatchObject({
      state: 'problem',
      message: expect.stringMatching(/^2024-01-01\S+ is before the newest record, of 20\d\d-/),
    });
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
    const environment = {
      BOOTSTRAP_TOKEN: TOKEN,
      CORS_ORIGINS: 'https://app.example.org',
      MAX_CONNECTIONS: '500',
    };

    const { stdout } = await plantStore(database, ['doctor'], '', environment);
    const [settings] = await findings(database, 'settings', environment);

    expect(stdout).toContain(
      'DATABASE_URL=(set) BOOTSTRAP_TOKEN=(set) CORS_ORIGINS=https://app.example.org MAX_CONNECTIONS=500.',
    );
    expect(settings).toMatchObject({ values: { PORT: 3000, MAX_CONNECTIONS: 500 } });
    expect(stdout + JSON.stringify(settings)).not.toMatch(new RegExp(`${TOKEN}|secret`));
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

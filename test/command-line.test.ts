import { describe, expect, test, vi } from 'vitest';
import { ADMIN } from '../src/auth/scope.js';
import { SCOPES } from '../src/app.module.js';
import { plantStore } from './support/command-line.js';
import { emptyDatabase } from './support/database.js';
import { run, runService } from './support/running-process.js';
import { createRequest } from './support/service.js';
import { temporaryFolder } from './support/temporary-folder.js';

/** The scopes of a token that is made without a choice. */
const USUAL_SCOPES = SCOPES.filter((scope) => scope !== ADMIN);

describe('plant-store token', () => {
  test('makes a token that a running service takes at once, and revokes it within 5 seconds', async () => {
    const database = await emptyDatabase();
    const service = await runService(temporaryFolder(), { DATABASE_URL: database.url, BOOTSTRAP_TOKEN: 'x' });

    const created = await plantStore(database, [
      'token',
      'create',
      '--name',
      'ci',
      '--scope',
      'plants:write',
      '--json',
    ]);
    const { id, secret } = JSON.parse(created.stdout) as { id: string; secret: string };
    const create = async () =>
      (
        await fetch(
          `${service.url}/plants`,
          createRequest({ id: 1, name: 'Aloe' }, { Authorization: `Bearer ${secret}` }),
        )
      ).status;
    const accepted = await create();
    const revoked = await plantStore(database, ['token', 'revoke', id]);

    expect(accepted).toBe(200);
    expect(revoked).toMatchObject({ code: 0, stdout: `The token ${id} is revoked.\n`, stderr: '' });
    await vi.waitFor(async () => expect(await create()).toBe(401), { timeout: 3_000, interval: 100 });
  });

  test('makes the database when there is none: the first start then makes no token of its own', async () => {
    const database = await emptyDatabase();

    const created = await plantStore(database, ['token', 'create', '--name', 'mine']);
    const service = await runService(temporaryFolder(), { DATABASE_URL: database.url });

    expect(created).toMatchObject({ code: 0, stderr: '' });
    expect(created.stdout).toMatch(/\n\n {2}pst_[0-9A-Za-z]{38}\n/);
    expect(service.stderr()).toBe('');
  });

  test('lists tokens with everything but their secrets', async () => {
    const database = await emptyDatabase();
    const created = await plantStore(database, [
      'token',
      'create',
      '--name',
      'my ci',
      '--expires-in',
      '30',
      '--json',
    ]);
    const { secret, ...token } = JSON.parse(created.stdout) as {
      id: string;
      secret: string;
      expiresAt: string;
    };

    const table = await plantStore(database, ['token', 'list']);
    const json = await plantStore(database, ['token', 'list', '--json']);

    expect(JSON.parse(json.stdout)).toEqual([token]);
    expect(token).toMatchObject({ name: 'my ci', scopes: USUAL_SCOPES, revokedAt: null });
    expect(Date.parse(token.expiresAt) - Date.now()).toBeGreaterThan(29 * 86_400_000);
    expect(table.stdout).toMatch(
      new RegExp(`^ID +NAME +SCOPES +CREATED +EXPIRES +REVOKED\\n\\S+ +my ci +${USUAL_SCOPES.join(' ')} `),
    );
    expect(table.stdout + json.stdout).not.toContain(secret.slice(0, 20));
    expect(table.stdout + json.stdout).not.toMatch(/[0-9a-f]{64}/);
  });

  test('revokes the bootstrap token for good, which had every scope', async () => {
    const database = await emptyDatabase();
    const first = await runService(temporaryFolder(), {
      DATABASE_URL: database.url,
      BOOTSTRAP_TOKEN: 'chosen',
    });
    const create = async (url: string) =>
      fetch(`${url}/plants`, createRequest({ id: 1, name: 'Aloe' }, { Authorization: 'Bearer chosen' }));
    expect((await create(first.url)).status).toBe(200);
    first.child.kill('SIGTERM');
    await first.exited;

    const { stdout } = await plantStore(database, ['token', 'list', '--json']);
    const [{ id, scopes } = { id: '', scopes: [] }] = JSON.parse(stdout) as {
      id: string;
      scopes: string[];
    }[];
    await plantStore(database, ['token', 'revoke', id]);
    const second = await runService(temporaryFolder(), {
      DATABASE_URL: database.url,
      BOOTSTRAP_TOKEN: 'chosen',
    });

    expect(scopes).toEqual(SCOPES);
    expect((await create(second.url)).status).toBe(401);
  });

  test.for([
    ['an unknown command', ['nonsense'], 2, /unknown command/],
    ['an unknown option', ['token', 'list', '--nonsense'], 2, /unknown option/],
    ['a token without a name', ['token', 'create'], 2, /--name/],
    ['a token with an empty name', ['token', 'create', '--name', ' '], 2, /text/],
    ['a token with a name that would break the list', ['token', 'create', '--name', 'a\nb'], 2, /control/],
    ['a scope that there is not', ['token', 'create', '--name', 'x', '--scope', 'all'], 2, /plants:write/],
    ['an expiry that is no number', ['token', 'create', '--name', 'x', '--expires-in', 'soon'], 2, /days/],
    ['an expiry in hexadecimal', ['token', 'create', '--name', 'x', '--expires-in', '0x10'], 2, /days/],
    ['an expiry in the past', ['token', 'create', '--name', 'x', '--expires-in', '-1'], 2, /days/],
    ['a token that there is not', ['token', 'revoke', 'nobody'], 1, /no token nobody/],
  ] as const)('refuses %s', async ([, args, code, reason]) => {
    const result = await plantStore(await emptyDatabase(), args);

    expect(result).toMatchObject({ code, stdout: '' });
    expect(result.stderr).toMatch(reason);
  });

  test('fails with one sentence when the database cannot be used', async () => {
    const command = run('cli/plant-store.js', ['token', 'list'], temporaryFolder(), {
      DATABASE_URL: 'sqlite:/dev/null/x',
    });

    expect(await command.exited).toBe(1);
    expect(command.stderr()).toMatch(/^The database file .+\n$/);
  });

  test.for([['--help'], ['token', '--help'], ['token', 'create', '--help']])(
    'explains itself: %s',
    async (args) => {
      const help = await plantStore(await emptyDatabase(), args);

      expect(help).toMatchObject({ code: 0, stderr: '' });
      expect(help.stdout).toMatch(/^Usage: plant-store/);
    },
  );
});

import { describe, expect, test, vi } from 'vitest';
import { ADMIN } from '../src/auth/principal.js';
import { SCOPES } from '../src/app.module.js';
import { plantStore } from './support/command-line.js';
import { emptyDatabase } from './support/database.js';
import { startService } from './support/service.js';

/** The scopes of a token that is made without a choice. */
const USUAL_SCOPES = SCOPES.filter((scope) => scope !== ADMIN);

describe('plant-store token', () => {
  test('makes a token that a running service takes at once, and revokes it within 3 seconds', async () => {
    const database = await emptyDatabase();
    const service = await startService({}, database);

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
      (await service.create({ id: 1, name: 'Aloe' }, { Authorization: `Bearer ${secret}` })).status;
    const accepted = await create();
    const revoked = await plantStore(database, ['token', 'revoke', id]);

    expect(accepted).toBe(200);
    expect(revoked).toMatchObject({ code: 0, stdout: `The token ${id} is revoked.\n`, stderr: '' });
    await vi.waitFor(async () => expect(await create()).toBe(401), { timeout: 3_000, interval: 100 });
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
    expect(table.stdout).toMatch(new RegExp(`│ ${token.id} │ 'my ci' +│ '${USUAL_SCOPES.join(' ')}' `));
    expect(table.stdout + json.stdout).not.toContain(secret.slice(0, 20));
    expect(table.stdout + json.stdout).not.toMatch(/[0-9a-f]{64}/);
  });
});

import { describe, expect, test, vi } from 'vitest';
import { ADMIN } from '../src/kernel/auth/principal.js';
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

    const scoped = ['--name', 'ci', '--scope', 'plants:write'];
    const created = await plantStore(database, ['token', 'create', ...scoped]);
    const { id, secret } = JSON.parse(created.stdout) as { id: string; secret: string };
    const create = async () =>
      (await service.create({ id: 1, name: 'Aloe' }, { Authorization: `Bearer ${secret}` })).status;
    const accepted = await create();
    const revoked = await plantStore(database, ['token', 'revoke', id]);

    expect(accepted).toBe(200);
    expect(revoked).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(revoked.stdout)).toMatchObject({ id, revokedBy: null });
    await vi.waitFor(async () => expect(await create()).toBe(401), { timeout: 3_000, interval: 100 });
  });

  test('lists tokens with everything but their secrets', async () => {
    const database = await emptyDatabase();
    const create = ['token', 'create', '--name', 'my ci'];
    const created = await plantStore(database, [...create, '--expires-in', '30']);
    const { secret, ...token } = JSON.parse(created.stdout) as {
      id: string;
      secret: string;
      expiresAt: string;
    };

    const { stdout } = await plantStore(database, ['token', 'list']);

    expect(JSON.parse(stdout)).toEqual(token);
    expect(token).toMatchObject({ name: 'my ci', scopes: USUAL_SCOPES, revokedAt: null });
    expect(Date.parse(token.expiresAt) - Date.now()).toBeGreaterThan(29 * 86_400_000);
    expect(stdout).not.toContain(secret.slice(0, 20));
    expect(stdout).not.toMatch(/[0-9a-f]{64}/);
  });
});

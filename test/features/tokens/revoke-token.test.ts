import { describe, expect, inject, test, vi } from 'vitest';
import { AccessTokensService } from '../../../src/kernel/auth/access-tokens.service.js';
import { plantStore } from '../../support/command-line.js';
import { type Service, startService } from '../../support/service.js';
import { issue, listed, type ListedToken } from '../../support/tokens.js';

/** The id of the token with which the tests send their requests. */
async function ownId(service: Service): Promise<string> {
  return ((await service.send('GET', '/tokens/current')).body as ListedToken).id;
}

async function isRevoked(service: Service, id: string): Promise<boolean> {
  const tokens = await service.app.get(AccessTokensService).list();
  return tokens.find((token) => token.id === id)?.revokedAt !== null;
}

describe('DELETE /tokens/{id}', () => {
  test('revokes a token for good and at once, and again without another effect', async () => {
    const service = await startService();
    const { id, headers } = await issue(service, ['plants:read']);
    const read = async () => (await service.send('GET', '/plants', { headers })).status;
    expect(await read()).toBe(200);

    const first = await service.send('DELETE', `/tokens/${id}`);
    const revokedAt = async () => (await listed(service)).find((token) => token.id === id)?.revokedAt;
    const after = await revokedAt();
    const second = await service.send('DELETE', `/tokens/${id}`);

    expect(first).toMatchObject({ status: 204, text: '' });
    expect(await read()).toBe(401);
    expect(second).toMatchObject({ status: 204, text: '' });
    // When a token was last used is noted later.
    expect(await revokedAt()).toBe(after);
    expect(after).toMatch(/^\d{4}-/);
  });

  test('shows what a token has created, and revokes that on request since a time', async () => {
    const service = await startService();
    const leaked = await issue(service);
    const create = async (headers: Record<string, string>) => {
      const body = { name: 'child', scopes: ['admin'] };
      const { body: made } = await service.send('POST', '/tokens', { headers, body });
      const { id, secret } = made as { id: string; secret: string };
      return { id, headers: { Authorization: `Bearer ${secret}` } };
    };
    const early = await create(leaked.headers);
    const made = Date.now();
    await vi.waitUntil(() => Date.now() > made);
    const since = new Date().toISOString();
    const child = await create(leaked.headers);
    const grandchild = await create(child.headers);

    const shown = await service.send('GET', `/tokens?createdBy=${leaked.id}`);
    const { status } = await service.send('DELETE', `/tokens/${leaked.id}?createdSince=${since}`);

    expect((shown.body as ListedToken[]).map(({ id }) => id)).toEqual([early.id, child.id]);
    expect(status).toBe(204);
    const revokedBy = await ownId(service);
    for (const [id, createdBy] of [
      [leaked.id, undefined],
      [child.id, leaked.id],
      [grandchild.id, child.id],
    ] as const) {
      expect((await service.send('GET', `/tokens/${id}`)).body).toMatchObject({
        ...(createdBy && { createdBy }),
        revokedBy,
      });
      expect(service.log.join('')).toContain(`The token ${id} was revoked by ${revokedBy}.`);
    }
    expect(service.log.join('')).toContain(`The token ${child.id} was created by ${leaked.id}.`);
    for (const { headers } of [leaked, child, grandchild])
      expect((await service.send('GET', '/plants', { headers })).status).toBe(401);
  });

  test('is told by the command, too, which revokes it with the token', async () => {
    const service = await startService();
    const leaked = await issue(service);
    const body = { name: 'child', scopes: ['admin'] };
    const made = await service.send('POST', '/tokens', { headers: leaked.headers, body });
    const { id } = made.body as ListedToken;
    const revoke = async (...args: string[]) => {
      const command = ['token', 'revoke', leaked.id, ...args];
      const { code, stdout, stderr } = await plantStore(service.database, command);
      return { code, ids: Array.from(stdout.matchAll(/"id":"(\w+)"/g), ([, found]) => found), stderr };
    };

    const left = `It created ${id}: --created-since <time> revokes them.\n`;
    expect(await revoke()).toEqual({ code: 0, ids: [leaked.id], stderr: left });
    expect(await revoke('--created-since', '2026-01-01T00:00:00Z')).toEqual({
      code: 0,
      ids: [leaked.id, id],
      stderr: '',
    });
    expect(await revoke('--created-since', 'yesterday')).toMatchObject({ code: 2 });
    expect(await isRevoked(service, id)).toBe(true);
  });

  test('refuses what names no token, and what is no parameter', async () => {
    const service = await startService();
    const { id } = await issue(service, ['plants:read']);

    for (const unknown of ['5f0c9a1b2d3e', 'a%2Fb', '%F0%9F%8C%BF', "'", 'current'])
      expect(await service.send('DELETE', `/tokens/${unknown}`)).toMatchObject({
        status: 404,
        body: { error: 40401, message: `There is no token with the id ${decodeURIComponent(unknown)}.` },
      });
    // No store could keep this id.
    expect(await service.send('DELETE', '/tokens/%00')).toMatchObject({
      status: 400,
      body: { error: 40002 },
    });
    for (const value of ['', 'TRUE', 'true&lastAdmin=true'])
      expect(await service.send('DELETE', `/tokens/${id}?lastAdmin=${value}`)).toMatchObject({
        status: 400,
        body: { error: 40002, message: 'A parameter is not valid: lastAdmin must be true or false.' },
      });
    expect(await isRevoked(service, id)).toBe(false);
  });

  test('keeps the last valid token with admin, unless that is what the client wants', async () => {
    const service = await startService();
    const id = await ownId(service);
    await issue(service, ['admin'], new Date(Date.now() - 1));
    await issue(service, ['plants:read', 'administrator']);
    await service.send('DELETE', `/tokens/${(await issue(service)).id}`);

    for (const query of ['', '?lastAdmin=false'])
      expect(await service.send('DELETE', `/tokens/${id}${query}`)).toMatchObject({
        status: 409,
        body: {
          error: 40901,
          message:
            'The token is the last valid one with the scope admin. With lastAdmin=true it is revoked all the same.',
        },
      });
    expect(await isRevoked(service, id)).toBe(false);
    expect(await service.send('DELETE', `/tokens/${id}?lastAdmin=true`)).toMatchObject({ status: 204 });
    expect(await isRevoked(service, id)).toBe(true);
    expect(await service.send('GET', '/tokens')).toMatchObject({ status: 401 });
  });

  test('revokes a token beside the last one with admin, and that one beside another that is valid', async () => {
    const service = await startService();
    const [reader, expired] = [
      await issue(service, ['plants:read']),
      await issue(service, ['admin'], new Date(0)),
    ];
    const [last, other] = [await ownId(service), await issue(service, ['admin'], new Date('2099-01-01'))];

    for (const id of [reader.id, expired.id, last]) {
      const { status } = await service.send('DELETE', `/tokens/${id}`, { headers: other.headers });

      expect(status).toBe(204);
      expect(await isRevoked(service, id)).toBe(true);
    }
  });

  test('keeps one of several tokens with admin that revoke themselves at the same time', async () => {
    const one = await startService();
    // Several instances share a PostgreSQL, and none a SQLite file.
    const other = inject('database') === 'postgres' ? await startService({}, one.database) : one;
    const first = await ownId(one);
    const admins = await Promise.all([1, 2, 3, 4].map(async () => issue(one)));
    await one.send('DELETE', `/tokens/${first}`);

    const answers = await Promise.all(
      admins.map(async ({ id, headers }, index) =>
        (index % 2 === 0 ? one : other).send('DELETE', `/tokens/${id}`, { headers }),
      ),
    );

    expect(answers.map(({ status }) => status)).toEqual(expect.arrayContaining([204, 409]));
    expect(answers.filter(({ status }) => status === 204)).toHaveLength(3);
  });
});

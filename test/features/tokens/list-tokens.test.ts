import { describe, expect, test } from 'vitest';
import { AccessTokensService } from '../../../src/kernel/auth/access-tokens.service.js';
import { SCOPES } from '../../../src/app.module.js';
import { type Service, startService } from '../../support/service.js';
import { issue, listed, type ListedToken } from '../../support/tokens.js';

/** The ids on each page, as a client gets them that follows the links. */
async function pagesOf(service: Service, limit: number): Promise<string[][]> {
  const pages: string[][] = [];
  let query: string | undefined = `?limit=${limit}`;
  while (query !== undefined) {
    const { headers, body } = await service.send('GET', `/tokens${query}`);
    pages.push((body as ListedToken[]).map(({ id }) => id));
    query = /^<(.+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1];
  }
  return pages;
}

describe('GET /tokens', () => {
  test('shows each token with all of its public fields, and nothing else', async () => {
    const service = await startService();
    const expiresAt = new Date(Date.now() + 86_400_000);
    const used = await issue(service, ['plants:read'], expiresAt);
    const revoked = await issue(service, ['plants:read', 'plants:write']);
    await service.app.get(AccessTokensService).noteUse(used.id, '2026-03-01');
    await service.send('DELETE', `/tokens/${revoked.id}`);

    const { status, text } = await service.send('GET', '/tokens');

    expect(status).toBe(200);
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/) as string;
    const [bootstrap, ...others] = JSON.parse(text) as ListedToken[];
    expect(bootstrap).toMatchObject({ name: 'bootstrap', scopes: SCOPES });
    expect(others).toHaveLength(2);
    expect(others).toEqual(
      expect.arrayContaining([
        {
          id: used.id,
          name: 'test',
          scopes: ['plants:read'],
          createdAt: time,
          expiresAt: expiresAt.toJSON(),
          lastUsedOn: '2026-03-01',
        },
        {
          id: revoked.id,
          name: 'test',
          scopes: ['plants:read', 'plants:write'],
          createdAt: time,
          revokedAt: time,
          revokedBy: bootstrap?.id,
        },
      ]),
    );
    expect(text).not.toContain(used.secret);
    expect(text).not.toMatch(/[0-9a-f]{64}/);
  });

  test('leads through all tokens in pages of any size, oldest first', async () => {
    const service = await startService();
    for (let count = 0; count < 5; count += 1) await issue(service);
    // Tokens of one moment are in the order of their ids.
    await service.database.execute(
      `UPDATE access_tokens SET created_at = '2026-03-01T08:30:00.000Z' WHERE name = 'test'`,
    );
    const ids = (await listed(service)).map(({ id }) => id);

    expect(new Set(ids).size).toBe(6);
    expect(ids.slice(0, 5)).toEqual(ids.slice(0, 5).toSorted());
    for (const limit of [1, 3, 6, 7, 1000]) {
      const pages = await pagesOf(service, limit);

      expect(pages.flat()).toEqual(ids);
      expect(pages).toHaveLength(Math.ceil(6 / limit));
    }
    for (const query of ['limit=0', 'limit=1001', 'limit=x', 'after=', 'after=1', 'after=%00'])
      expect(await service.send('GET', `/tokens?${query}`)).toMatchObject({
        status: 400,
        body: { error: 40002, message: expect.stringMatching(/^A parameter is not valid: /) },
      });
  });
});

describe('GET /tokens/current', () => {
  test('tells any token what it is', async () => {
    const service = await startService();

    for (const [scopes, expiresAt] of [
      [['metrics:read'], null],
      [['plants:write', 'plants:read'], new Date('2099-01-01T00:00:00.000Z')],
      // Of a feature that there is no more.
      [['gardens:read'], null],
    ] as const) {
      const { id, headers } = await issue(service, scopes, expiresAt);
      const end = expiresAt && { expiresAt: expiresAt.toJSON() };

      // The second time it is remembered.
      for (let time = 1; time <= 2; time += 1) {
        const { body } = await service.send('GET', '/tokens/current', { headers });
        expect(body).toEqual({ id, name: 'test', scopes, ...end });
      }
    }
  });
});

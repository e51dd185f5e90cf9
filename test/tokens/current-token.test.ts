import { describe, expect, test } from 'vitest';
import { startBoth } from '../support/network/identity-provider.js';
import { startService } from '../support/service.js';
import { issue } from '../support/tokens.js';

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

  test('tells a JWT what it is worth', async () => {
    const { provider, service } = await startBoth();
    const headers = { Authorization: `Bearer ${await provider.token()}` };

    expect((await service.send('GET', '/tokens/current', { headers })).body).toEqual({
      id: 'oidc:sub-1',
      scopes: ['plants:read'],
      expiresAt: expect.any(String) as string,
    });
  });

  test('tells of a JWT that ends after the year 9999 a time that others can read', async () => {
    const { provider, service } = await startBoth();

    for (const exp of [253_402_300_800, 8.64e12, 1e300]) {
      const headers = { Authorization: `Bearer ${await provider.token({ claims: { exp } })}` };
      expect(await service.send('GET', '/tokens/current', { headers })).toMatchObject({
        status: 200,
        body: { expiresAt: '9999-12-31T23:59:59.999Z' },
      });
    }
  });
});

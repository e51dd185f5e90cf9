import { describe, expect, test } from 'vitest';
import { startBoth } from '../support/identity-provider.js';
import { startService } from '../support/service.js';
import { issue } from '../support/tokens.js';

describe('GET /tokens/current', () => {
  test.for([
    [['metrics:read'], null],
    [['plants:write', 'plants:read'], new Date('2099-01-01T00:00:00.000Z')],
    // Of a feature that there is no more.
    [['gardens:read'], null],
  ] as const)('tells any token what it is: %o, until %o', async ([scopes, expiresAt]) => {
    const service = await startService();
    const { id, headers } = await issue(service, scopes, expiresAt);

    expect(await service.send('GET', '/tokens/current', { headers })).toMatchObject({ status: 200 });
    // The second time it is remembered.
    const { body } = await service.send('GET', '/tokens/current', { headers });

    expect(body).toEqual({ id, name: 'test', scopes, ...(expiresAt && { expiresAt: expiresAt.toJSON() }) });
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

  test.for([253_402_300_800, 8.64e12, 1e300])(
    'tells of a JWT that ends in the year 10000 or later a time that others can read: exp %d',
    async (exp) => {
      const { provider, service } = await startBoth();
      const headers = { Authorization: `Bearer ${await provider.token({ claims: { exp } })}` };

      expect(await service.send('GET', '/tokens/current', { headers })).toMatchObject({
        status: 200,
        body: { expiresAt: '9999-12-31T23:59:59.999Z' },
      });
    },
  );

  test('is not the token with the id current', async () => {
    const service = await startService();

    const answer = await service.send('DELETE', '/tokens/current');

    expect(answer).toMatchObject({ status: 404, body: { error: 40401 } });
  });
});

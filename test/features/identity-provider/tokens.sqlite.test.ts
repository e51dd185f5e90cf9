import { expect, test } from 'vitest';
import { startBoth } from '../../support/network/identity-provider.js';
import { listed } from '../../support/tokens.js';

test('POST /tokens lets a JWT grant what it has, and nothing else', async () => {
  const { provider, service } = await startBoth();
  const jwt = await provider.token({ claims: { scope: 'admin plants:read' } });
  const body = { name: 'greenhouse', scopes: ['plants:read'] };
  const headers = { Authorization: `Bearer ${jwt}` };

  const granted = await service.send('POST', '/tokens', { headers, body });
  const refused = await service.send('POST', '/tokens', {
    headers,
    body: { ...body, scopes: ['plants:write'] },
  });

  expect(granted).toMatchObject({ status: 201, body });
  expect(refused).toMatchObject({ status: 403, body: { error: 40300 } });
  expect(await listed(service)).toHaveLength(2);
});

test('GET /tokens/current tells a JWT what it is worth', async () => {
  const { provider, service } = await startBoth();
  const headers = { Authorization: `Bearer ${await provider.token()}` };

  expect((await service.send('GET', '/tokens/current', { headers })).body).toEqual({
    id: 'oidc:sub-1',
    scopes: ['plants:read'],
    expiresAt: expect.any(String) as string,
  });
});

test('GET /tokens/current tells of a JWT that ends after the year 9999 a time that others can read', async () => {
  const { provider, service } = await startBoth();

  for (const exp of [253_402_300_800, 8.64e12, 1e300]) {
    const headers = { Authorization: `Bearer ${await provider.token({ claims: { exp } })}` };
    expect(await service.send('GET', '/tokens/current', { headers })).toMatchObject({
      status: 200,
      body: { expiresAt: '9999-12-31T23:59:59.999Z' },
    });
  }
});

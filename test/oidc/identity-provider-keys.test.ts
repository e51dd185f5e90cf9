import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { startBoth, startIdentityProvider } from '../support/identity-provider.js';
import { type Service, startService, TOKEN } from '../support/service.js';

const now = performance.now.bind(performance);

/** Lets the service believe that so many milliseconds have passed since it started, until the test is over. */
function passTime(ms: number): void {
  vi.useFakeTimers({ toFake: ['Date'], now: performance.timeOrigin + now() + ms });
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + ms);
  onTestFinished(() => {
    vi.useRealTimers();
    clock.mockRestore();
  });
}

async function statusOf(service: Service, token: string): Promise<number> {
  return (await service.request('/plants', { headers: { Authorization: `Bearer ${token}` } })).status;
}

describe('the keys of the identity provider', () => {
  test('are fetched again for an unknown key, and not again for 30 seconds', async () => {
    const { provider, service } = await startBoth();
    const old = await provider.token();
    await provider.rotate();
    const early = await provider.token();

    expect(await statusOf(service, early)).toBe(401);
    expect(provider.fetches()).toBe(1);
    passTime(31_000);
    const answers = await Promise.all([early, early, old].map((token) => statusOf(service, token)));
    const unknown = await Promise.all(
      Array.from({ length: 50 }, async (_, index) =>
        statusOf(service, await provider.token({ header: { kid: `unknown-${index}` } })),
      ),
    );

    expect(answers).toEqual([200, 200, 200]);
    expect(new Set(unknown)).toEqual(new Set([401]));
    expect(provider.fetches()).toBe(2);
  });

  test('are named in the log by a slow request that waits for them', async () => {
    const { provider, service } = await startBoth({}, { log: { slowRequest: 40 } });
    const unknown = await provider.token({ header: { kid: 'unknown' } });
    provider.answerInstead((_request, response) => void setTimeout(() => response.end(), 60));
    passTime(31_000);

    expect(await statusOf(service, unknown)).toBe(401);

    const line = await vi.waitUntil(() => service.log.find((entry) => entry.includes('"waitedMs"')));
    const { waitedMs } = JSON.parse(line) as { waitedMs: Record<string, number> };
    expect(waitedMs['keys']).toBeGreaterThan(40);
    expect(waitedMs['database']).toBe(0);
  });

  test('are forgotten within 11 minutes when the provider has withdrawn them', async () => {
    const { provider, service } = await startBoth();
    const old = await provider.token();
    expect(await statusOf(service, old)).toBe(200);
    await provider.rotate();
    const [, newest] = provider.issuer.keys.toJSON();
    provider.answerInstead((request, response) => {
      const metadata = { issuer: provider.url, jwks_uri: `${provider.url}/jwks` };
      response.end(JSON.stringify(request.url === '/jwks' ? { keys: [newest] } : metadata));
    });

    passTime(660_000);

    expect(await statusOf(service, old)).toBe(401);
  });

  test('may be of any asymmetric algorithm', async () => {
    const { provider, service } = await startBoth();
    const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512'];

    for (const algorithm of [...algorithms, 'EdDSA', 'Ed25519']) await provider.rotate(algorithm);
    passTime(31_000);

    for (const { kid, alg } of provider.issuer.keys.toJSON())
      expect(await statusOf(service, await provider.token({ kid })), alg).toBe(200);
  });

  test('stay valid while the provider is away, and the log says so', async () => {
    const { provider, service } = await startBoth();
    const token = await provider.token();
    await provider.rotate();
    const unknown = await provider.token();
    await provider.stop();

    passTime(660_000);

    expect(await statusOf(service, token)).toBe(200);
    expect(await statusOf(service, unknown)).toBe(401);
    expect(await statusOf(service, TOKEN)).toBe(200);
    expect(service.log.join('')).toMatch(
      /"level":"warn".*The keys of http:\S+ cannot be fetched.*ECONNREFUSED/,
    );
  });

  test('need not be there at the start: until they were fetched once, tokens get 503', async () => {
    const provider = await startIdentityProvider();
    await provider.stop();
    const service = await startService(provider.settings);
    const token = await provider.token();

    const answer = await service.create({ id: 1, name: 'Aloe' }, { Authorization: `Bearer ${token}` });
    await provider.restart();
    passTime(31_000);

    expect(answer).toMatchObject({
      status: 503,
      body: { error: 50300, message: 'The access token cannot be verified at the moment.' },
    });
    expect(answer.headers.get('retry-after')).toBe('1');
    expect(await statusOf(service, TOKEN)).toBe(200);
    expect(await statusOf(service, token)).toBe(200);
  });

  test.for<[string, { status?: number; changes?: object; keys?: unknown }, RegExp]>([
    ['an error', { status: 500 }, /openid-configuration returns 500/],
    ['a redirection', { status: 302 }, /openid-configuration returns 302/],
    ['the metadata of another issuer', { changes: { issuer: 'https://a.example.org' } }, /another issuer/],
    ['no address of keys', { changes: { jwks_uri: undefined } }, /has no jwks_uri/],
    ['an address without TLS', { changes: { jwks_uri: 'http://a.example.org' } }, /no jwks_uri with https/],
    ['keys that are none', { keys: 7 }, /JSON Web Key Set malformed/],
  ])('are not taken from a provider that returns %s', async ([, { status = 200, changes, keys }, reason]) => {
    const provider = await startIdentityProvider();
    provider.answerInstead((request, response) => {
      const good = { issuer: provider.url, jwks_uri: `${provider.url}/jwks`, ...changes };
      const set = { keys: keys ?? provider.issuer.keys.toJSON() };
      if (request.url === '/jwks') response.end(JSON.stringify(set));
      else response.writeHead(status, { Location: '/elsewhere' }).end(JSON.stringify(good));
    });
    const service = await startService(provider.settings);

    expect(await statusOf(service, await provider.token())).toBe(503);
    expect(service.log.join('')).toMatch(reason);
    expect(provider.requests).not.toContain('/elsewhere');
  });
});

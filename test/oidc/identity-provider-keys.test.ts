import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { startBoth, startIdentityProvider } from '../support/identity-provider.js';
import { refusedTokens } from '../support/refused-tokens.js';
import { type Answer, type Service, startService, TOKEN } from '../support/service.js';

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

/** How the answers of a provider differ from good ones. */
interface Misbehaviour {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  /** Instead of JSON. */
  readonly metadata?: string;
  readonly changes?: object;
  readonly keys?: unknown;
}

async function list(service: Service, token: string): Promise<Answer> {
  return service.request('/plants', { headers: { Authorization: `Bearer ${token}` } });
}

async function statusOf(service: Service, token: string): Promise<number> {
  return (await list(service, token)).status;
}

describe('the keys of the identity provider', () => {
  test('are fetched again for a key that is not known, and not again for 30 seconds', async () => {
    const { provider, service } = await startBoth();
    const old = await provider.token();
    await provider.rotate();
    const early = await provider.token();

    expect(await statusOf(service, early)).toBe(401);
    expect(provider.fetches()).toBe(1);
    passTime(31_000);
    const answers = await Promise.all(
      [early, early, await provider.token()].map((token) => statusOf(service, token)),
    );
    const unknown = await Promise.all(
      Array.from({ length: 50 }, async (_, index) =>
        statusOf(service, await provider.token({ header: { kid: `unknown-${index}` } })),
      ),
    );

    expect(answers).toEqual([200, 200, 200]);
    expect(new Set(unknown)).toEqual(new Set([401]));
    expect(await statusOf(service, old)).toBe(200);
    expect(provider.fetches()).toBe(2);
  });

  test('are not fetched for tokens that are refused, whatever is wrong with them', async () => {
    const { provider, service } = await startBoth();
    const kinds = Object.values(await refusedTokens(provider));
    passTime(31_000);

    const statuses = await Promise.all(
      kinds.flatMap((make) => Array.from({ length: 50 }, async (_, index) => statusOf(service, make(index)))),
    );

    expect(statuses).toHaveLength(300);
    expect(new Set(statuses)).toEqual(new Set([401]));
    expect(provider.fetches()).toBe(2);
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

    passTime(590_000);
    expect(await statusOf(service, old)).toBe(200);
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
    expect(provider.fetches()).toBe(2);
  });

  test('stay good while the provider is away, which the log tells once a minute', async () => {
    const { provider, service } = await startBoth();
    const token = await provider.token();
    await provider.rotate();
    const unknown = await provider.token();
    await provider.stop();
    const warnings = () => service.log.filter((line) => line.includes('cannot be fetched'));

    for (const ms of [0, 31_000, 62_000, 93_000, 124_000]) {
      passTime(ms);
      expect(await statusOf(service, token)).toBe(200);
      expect(await statusOf(service, unknown)).toBe(401);
      expect(await statusOf(service, TOKEN)).toBe(200);
    }

    expect(warnings()).toEqual([
      expect.stringMatching(/"level":"warn".*The keys of http:\S+ cannot be fetched.*ECONNREFUSED/),
    ]);
  });

  test('need not be there at the start: until they were fetched once, tokens get 503', async () => {
    const provider = await startIdentityProvider();
    await provider.stop();
    const service = await startService(provider.settings, undefined, { authFailureLimit: 1_000_000 });
    const token = await provider.token();

    const answer = await list(service, token);
    const created = await service.create({ id: 1, name: 'Aloe' }, { Authorization: `Bearer ${token}` });
    await provider.restart();
    const early = await list(service, token);
    passTime(31_000);

    expect(answer).toMatchObject({
      status: 503,
      body: { error: 50300, message: 'The access token cannot be verified at the moment.' },
    });
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(20);
    expect(Number(answer.headers.get('retry-after'))).toBeLessThanOrEqual(30);
    expect(created.status).toBe(503);
    expect(early.status).toBe(503);
    expect(await statusOf(service, TOKEN)).toBe(200);
    expect(await statusOf(service, token)).toBe(200);
    expect(provider.fetches()).toBe(1);
  });

  test.for<[string, Misbehaviour, RegExp]>([
    ['an error', { status: 500 }, /openid-configuration answers 500/],
    ['what is no JSON', { metadata: '<html>' }, /JSON/],
    ['what is no object', { metadata: 'null' }, /null/],
    ['the metadata of another issuer', { changes: { issuer: 'https://a.example.org' } }, /another issuer/],
    [
      'a redirection',
      { status: 302, headers: { Location: '/elsewhere' } },
      /openid-configuration answers 302/,
    ],
    ['no address of keys', { changes: { jwks_uri: undefined } }, /has no jwks_uri/],
    ['an address without TLS', { changes: { jwks_uri: 'http://a.example.org' } }, /no jwks_uri with https/],
    ['keys that are none', { keys: 7 }, /JSON Web Key Set malformed/],
  ])('are not taken from a provider that answers %s', async ([, misbehaviour, reason]) => {
    const provider = await startIdentityProvider();
    const { status = 200, headers = {}, metadata, changes = {}, keys } = misbehaviour;
    provider.answerInstead((request, response) => {
      const good = { issuer: provider.url, jwks_uri: `${provider.url}/jwks`, ...changes };
      const set = { keys: keys ?? provider.issuer.keys.toJSON() };
      if (request.url === '/jwks') response.end(JSON.stringify(set));
      else if (request.url === '/elsewhere') response.end(JSON.stringify(good));
      else response.writeHead(status, headers).end(metadata ?? JSON.stringify(good));
    });
    const service = await startService(provider.settings, undefined, { authFailureLimit: 1_000_000 });

    expect(await statusOf(service, await provider.token())).toBe(503);
    expect(service.log.filter((line) => line.includes('"level":"warn"'))).toEqual([
      expect.stringMatching(reason),
    ]);
    expect(provider.fetches()).toBe(1);
  });

  test('are waited for only so long', async () => {
    const provider = await startIdentityProvider();
    provider.answerInstead(() => undefined);
    const timeout = vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
      const controller = new AbortController();
      setTimeout(() => controller.abort(new Error(`after ${ms} ms`)), 50);
      return controller.signal;
    });
    onTestFinished(() => timeout.mockRestore());
    const service = await startService(provider.settings, undefined, { authFailureLimit: 1_000_000 });

    expect(await statusOf(service, await provider.token())).toBe(503);
    expect(service.log.join('')).toMatch(/cannot be fetched.*after \d+ ms/);
  });

  test('are found by the metadata of OAuth 2.0 where there is none of OpenID Connect', async () => {
    const provider = await startIdentityProvider('/realms/garden');
    provider.answerInstead((request, response) => {
      const keys = request.url === '/keys';
      const isMetadata = request.url === '/.well-known/oauth-authorization-server/realms/garden';
      const metadata = { issuer: provider.url, jwks_uri: `${provider.url}/keys` };
      response.statusCode = keys || isMetadata ? 200 : 404;
      response.end(JSON.stringify(keys ? { keys: provider.issuer.keys.toJSON() } : metadata));
    });
    const service = await startService(provider.settings, undefined, { authFailureLimit: 1_000_000 });

    expect(await statusOf(service, await provider.token())).toBe(200);
    expect(provider.requests).toEqual([
      '/realms/garden/.well-known/openid-configuration',
      '/.well-known/oauth-authorization-server/realms/garden',
      '/realms/garden/keys',
    ]);
  });
});

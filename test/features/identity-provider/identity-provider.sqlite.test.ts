import { createPublicKey } from 'node:crypto';
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { SCOPES } from '../../../src/app.module.js';
import { type Document, operationsOf } from '../../contract/document.js';
import { beginImport } from '../../support/network/exchange.js';
import {
  AUDIENCE,
  base64url,
  type IdentityProvider,
  partsOf,
  seconds,
  startBoth,
  startIdentityProvider,
  type TokenChanges,
} from '../../support/network/identity-provider.js';
import { startNameServer } from '../../support/network/name-server.js';
import { failedStart, type Service, startService, TOKEN } from '../../support/service.js';
import { issue, listed } from '../../support/tokens.js';

const METADATA_PATH = '/.well-known/oauth-protected-resource';

function bearer(token: string) {
  return { headers: { Authorization: `Bearer ${token}` } };
}

async function statusOf(service: Service, token: string): Promise<number> {
  return (await service.request('/plants', bearer(token))).status;
}

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

/** In which a good token expires. */
const HOUR_MS = 3_606_000;

/** A token with the claims of a good one and another header, signed by whoever has the key. */
async function signedBy(
  provider: IdentityProvider,
  key: CryptoKey | Uint8Array,
  header: { alg: string } & Record<string, unknown>,
): Promise<string> {
  const [, claims] = partsOf(await provider.token());
  return new SignJWT(claims).setProtectedHeader({ typ: 'at+jwt', ...header }).sign(key);
}

function firstKey({ issuer }: IdentityProvider): JWK & { kid: string } {
  const [key] = issuer.keys.toJSON();
  if (key === undefined) throw new Error('There is no key.');
  return key;
}

describe('a token of the identity provider', () => {
  test('is accepted beside tokens of the service, with the scopes that it has', async () => {
    const { provider, service } = await startBoth();
    const token = await provider.token({ claims: { scope: 'openid plants:read unknown' } });

    for (const accepted of [token, token, (await issue(service, ['plants:read'])).secret, TOKEN])
      expect(await statusOf(service, accepted)).toBe(200);
    const refused = await service.create({ id: 1, name: 'Aloe' }, { Authorization: `Bearer ${token}` });
    expect(refused).toMatchObject({ status: 403, body: { error: 40300 } });
  });

  test('is accepted in every form that RFC 9068 allows', async () => {
    const { provider, service } = await startBoth();
    const accepted: Record<string, TokenChanges> = {
      'its type as a media type': { header: { typ: 'application/at+jwt' } },
      'several audiences': { claims: { aud: ['https://other.example.org', AUDIENCE] } },
      'an end within the tolerance': { claims: { exp: seconds(-2) } },
      'a beginning within the tolerance': { claims: { nbf: seconds(2) } },
      'no name of its key, as there is one': { header: { kid: undefined } },
    };

    for (const [what, changes] of Object.entries(accepted))
      expect(await statusOf(service, await provider.token(changes)), what).toBe(200);
  });

  const REFUSED: Record<string, TokenChanges | ((provider: IdentityProvider) => Promise<string>)> = {
    'is an id token': { header: { typ: 'JWT' } },
    'has no type': { header: { typ: undefined } },
    'is of another issuer': { claims: { iss: 'https://login.example.org' } },
    'has no issuer': { claims: { iss: undefined } },
    'is for an audience that begins alike': { claims: { aud: `${AUDIENCE}.example.org` } },
    'is for other audiences': { claims: { aud: ['https://other.example.org'] } },
    'has no audience': { claims: { aud: undefined } },
    'has expired': { claims: { exp: seconds(-60) } },
    'has no end': { claims: { exp: undefined } },
    'begins later': { claims: { nbf: seconds(60) } },
    'has no subject': { claims: { sub: undefined } },
    'has a subject that is no text': { claims: { sub: { toString: 'x' } } },
    'names an unknown key': { header: { kid: 'unknown' } },
    'has the algorithm none': async (provider) => {
      const [, claims] = (await provider.token()).split('.');
      return `${base64url({ alg: 'none', typ: 'at+jwt' })}.${claims}.`;
    },
    'is signed with the public key as a shared secret': async (provider) => {
      const { kid, ...jwk } = firstKey(provider);
      const secret = createPublicKey({ key: jwk, format: 'jwk' }).export({ type: 'spki', format: 'pem' });
      return signedBy(provider, Buffer.from(secret), { alg: 'HS256', kid });
    },
    'is signed with another key under a known name': async (provider) => {
      const { privateKey } = await generateKeyPair('ES256');
      return signedBy(provider, privateKey, { alg: 'ES256', kid: firstKey(provider).kid });
    },
    'brings its own key': async (provider) => {
      const { privateKey, publicKey } = await generateKeyPair('ES256');
      return signedBy(provider, privateKey, { alg: 'ES256', jwk: await exportJWK(publicKey) });
    },
    'says where its key is': async (provider) => {
      const { privateKey } = await generateKeyPair('ES256');
      const jku = `${provider.url}/other-keys`;
      return signedBy(provider, privateKey, { alg: 'ES256', kid: 'x', jku, x5u: jku });
    },
    'has other claims than were signed': async (provider) => {
      const [header, , signature] = (await provider.token()).split('.');
      const [, claims] = partsOf(await provider.token());
      return `${header}.${base64url({ ...claims, scope: 'admin' })}.${signature}`;
    },
    'has an empty signature': async (provider) => (await provider.token()).replace(/[^.]+$/, ''),
    'has a part too few': async (provider) => (await provider.token()).split('.').slice(0, 2).join('.'),
  };

  test('is refused in the same words, whatever is wrong with it', async () => {
    const { provider, service } = await startBoth();

    for (const [what, make] of Object.entries(REFUSED)) {
      const token = typeof make === 'function' ? await make(provider) : await provider.token(make);
      const { status, body, headers } = await service.send('GET', '/plants', bearer(token));
      expect({ status, body, challenge: headers.get('www-authenticate') }, what).toEqual({
        status: 401,
        body: { error: 40101, message: 'The access token is not valid.' },
        challenge: 'Bearer realm="plant-store", error="invalid_token"',
      });
    }

    const reasons = service.log.flatMap((line) => /is refused: (.+?)\."/.exec(line)?.[1] ?? []);
    expect(new Set(reasons).size).toBe(reasons.length);
    for (const reason of ['typ', 'iss', 'aud', 'exp', 'nbf', 'sub', 'ERR_JWS_SIGNATURE_VERIFICATION_FAILED'])
      expect(reasons.join()).toContain(reason);
    expect(reasons.join()).not.toContain('example.org');
    expect(await statusOf(service, await provider.token())).toBe(200);
    expect(provider.fetches()).toBe(1);
    expect(provider.requests).not.toContain('/other-keys');
  });

  test.for<[TokenChanges, number]>([
    [{ header: { typ: 'JWT' } }, 200],
    [{ header: { typ: undefined } }, 200],
    [{ header: { typ: 'JWT' }, claims: { aud: 'client-1' } }, 401],
  ])('may have any type if a setting says so, but not any audience: %o', async ([changes, status]) => {
    const { provider, service } = await startBoth({ OIDC_TOKEN_TYPE: 'any' });

    expect(await statusOf(service, await provider.token(changes))).toBe(status);
  });

  test('is never a guess, however many others were refused', async () => {
    const { provider, service } = await startBoth({}, { authFailureLimit: 1 });
    const forged = (await provider.token()).replace(/[^.]+$/, 'forged');

    const statuses: number[] = [];
    for (const token of [forged, forged, forged, 'a-guess', 'a-guess', await provider.token()])
      statuses.push(await statusOf(service, token));

    expect(statuses).toEqual([401, 401, 401, 401, 429, 200]);
  });

  test('has a rate limit and a name in the log of its own, whatever part of its subject differs', async () => {
    const { provider, service } = await startBoth({ RATE_LIMIT: '1:1' });
    const long = 'a'.repeat(255);
    const subjects = ['żółw', 'żółć', 'zolw', '甲', '乙', `${long}b`, `${long}c`, long];

    for (const sub of subjects)
      expect(await statusOf(service, await provider.token({ claims: { sub } })), sub).toBe(200);
    expect(await statusOf(service, await provider.token({ claims: { sub: long } }))).toBe(429);

    await vi.waitFor(() => {
      const lines = service.log.map((line) => JSON.parse(line) as { tokenId?: string });
      const names = new Set(lines.flatMap(({ tokenId }) => tokenId ?? []));
      expect(names).toEqual(new Set(subjects.map((sub) => `oidc:${sub}`)));
    });
  });

  test('is refused when it has expired, although it was accepted a moment ago', async () => {
    const { provider, service } = await startBoth();
    const token = await provider.token();
    expect(await statusOf(service, token)).toBe(200);

    passTime(HOUR_MS);

    expect(await statusOf(service, token)).toBe(401);
  });

  test('ends its imports when it expires, which keep what they have answered', async () => {
    const { provider, service } = await startBoth();
    const token = await provider.token({ claims: { scope: 'plants:write' } });
    const begin = () => beginImport(service, bearer(token));
    const [begun, silent] = [begin(), begin()];
    begun.request.write('{"id":1,"name":"Aloe"}\n');
    silent.request.write('{"id":2');
    await begun.lines(1);

    passTime(HOUR_MS);

    await expect(begun.body()).rejects.toThrow('aborted');
    expect(await silent.body()).toContain('40101');
    expect(await service.plants()).toHaveLength(1);
  });
});

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

  test('are looked up without a thread, for which the database would wait', async () => {
    const asked = await startNameServer();

    await startService({ OIDC_ISSUER: 'https://login.example.org', OIDC_AUDIENCE: AUDIENCE });

    await vi.waitFor(() => expect(asked).toEqual(new Set(['login.example.org'])));
    expect(process.getActiveResourcesInfo()).not.toContain('GetAddrInfoReqWrap');
  });

  test('may have an address of their own', async () => {
    const provider = await startIdentityProvider();
    const iss = 'http://localhost:1/realms/garden';
    const keys = `${provider.url}/jwks`;
    const service = await startService({ ...provider.settings, OIDC_ISSUER: iss, OIDC_KEYS_URL: keys });
    const token = await provider.token({ claims: { iss } });

    await vi.waitFor(async () => expect(await statusOf(service, token)).toBe(200));
    expect(provider.fetches()).toBe(0);
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

describe('OIDC_SCOPES', () => {
  test('says what claims are worth', async () => {
    const grants = [
      'groups=/staff=plants:read',
      'groups=a=b=plants:read',
      'groups=/other=plants:write',
      'realm_access.roles=reader=plants:read',
      'https://a.b/c=x=plants:read',
      'scope=read=plants:read',
      'scp=read=plants:read',
      'department=green house=plants:read',
      'constructor.name=Object=plants:read',
      'level=1=plants:read',
      String.raw`resource_access.com\.example\.garden.roles=reader=plants:read`,
      String.raw`groups=cn=staff\,ou=groups=plants:read`,
      String.raw`memberOf=CN=Staff\,OU=Groups\,DC=example\,DC=org=plants:read`,
      'cognito:groups=staff=plants:read',
      String.raw`a\.b.c\.d.e=x=plants:read`,
    ];
    const { provider, service } = await startBoth({ OIDC_SCOPES: grants.join(', ') });
    const worth: [number, Record<string, unknown>][] = [
      [200, { groups: ['/x', '/staff'] }],
      [200, { groups: ['a=b'] }],
      [200, { groups: '/staff' }],
      [200, { realm_access: { roles: ['reader'] } }],
      [200, { 'realm_access.roles': ['reader'] }],
      [200, { 'https://a.b/c': ['x'] }],
      [200, { scope: 'openid read' }],
      [200, { scp: 'openid read' }],
      [200, { scp: ['read'] }],
      [200, { department: 'green house' }],
      [200, { resource_access: { 'com.example.garden': { roles: ['reader'] } } }],
      [200, { groups: ['cn=staff,ou=groups'] }],
      [200, { memberOf: ['CN=Staff,OU=Groups,DC=example,DC=org'] }],
      [200, { 'cognito:groups': ['staff'] }],
      [200, { 'a.b': { 'c.d': { e: 'x' } } }],
      [403, { a: { b: { c: { d: { e: 'x' } } } } }],
      [403, { groups: ['cn=staff'] }],
      [403, {}],
      [403, { scope: 'plants:read' }],
      [403, { groups: ['/staff/2', '/STAFF', '/other', ['/staff']] }],
      [403, { groups: 'a /staff' }],
      [403, { department: 'the green house' }],
      [403, { level: 1 }],
      [403, { realm_access: null }],
      [403, { realm_access: { roles: { reader: true } } }],
    ];

    for (const [status, claims] of worth) {
      const token = await provider.token({ claims: { scope: undefined, ...claims } });
      expect(await statusOf(service, token), JSON.stringify(claims)).toBe(status);
    }
  });

  test('is by default what the claim scope names, and nothing for what is no scope', async () => {
    const { provider, service } = await startBoth();

    for (const scope of [undefined, '', 'read', 'plants:read2', ['plants', ':read'], { 'plants:read': true }])
      expect(await statusOf(service, await provider.token({ claims: { scope } }))).toBe(403);
  });
});

describe('settings of the identity provider', () => {
  const OIDC_ISSUER = 'https://login.example.org/realms/garden';

  test.for<[Record<string, string>, string]>([
    [{ OIDC_ISSUER }, 'OIDC_ISSUER needs OIDC_AUDIENCE'],
    [{ OIDC_AUDIENCE: AUDIENCE }, 'OIDC_AUDIENCE needs OIDC_ISSUER'],
    [{ OIDC_SCOPES: 'a=b=admin' }, 'OIDC_SCOPES needs OIDC_ISSUER'],
    [{ OIDC_CLIENT_ID: 'console' }, 'OIDC_CLIENT_ID needs OIDC_ISSUER'],
    [{ OIDC_KEYS_URL: 'http://keycloak:8080/certs' }, 'OIDC_KEYS_URL needs OIDC_ISSUER'],
    [
      { OIDC_ISSUER, OIDC_AUDIENCE: AUDIENCE, OIDC_TOKEN_TYPE: 'JWT' },
      'OIDC_TOKEN_TYPE must be at+jwt or any',
    ],
    [{ OIDC_ISSUER, OIDC_AUDIENCE: AUDIENCE, OIDC_SCOPES: 'a=b=admin,=b=admin' }, 'number 2 is not'],
    [
      { OIDC_ISSUER, OIDC_AUDIENCE: AUDIENCE, OIDC_SCOPES: 'a=b=root' },
      `OIDC_SCOPES grants root, which is none of ${SCOPES.join(', ')}`,
    ],
    [
      { OIDC_ISSUER, OIDC_AUDIENCE: AUDIENCE, BOOTSTRAP_TOKEN: 'eyJhbGciOiJub25lIn0.e30.' },
      'OIDC_ISSUER needs a BOOTSTRAP_TOKEN that is not a JWT',
    ],
    ...[
      'http://login.example.org',
      'http://127.0.0.1.example.org',
      'https://user:secret@login.example.org',
      'https://login.example.org?x',
    ].map((issuer): [Record<string, string>, string] => [
      { OIDC_ISSUER: issuer, OIDC_AUDIENCE: AUDIENCE },
      'OIDC_ISSUER must be the https address of an identity provider',
    ]),
  ])('are refused: %o', async ([environment, problem]) => {
    const message = await failedStart(environment);

    expect(message).toContain(problem);
    expect(message).not.toContain('secret');
  });
});

describe('with an identity provider', () => {
  test('the metadata and the contract say whose tokens are accepted, to everybody', async () => {
    const byDefault = await startBoth();
    const mapped = await startBoth({
      BASE_URL: 'https://plants.example.org',
      OIDC_SCOPES: 'scope=read=plants:read,groups=/staff=admin',
    });
    const byGroup = await startBoth({ OIDC_SCOPES: 'groups=/staff=admin' });
    const metadataOf = async ({ service }: typeof byGroup) => (await service.request(METADATA_PATH)).body;
    const document = (await byDefault.service.request('/openapi.json')).body as Document;

    expect(await metadataOf(byDefault)).toEqual({
      resource: byDefault.service.url,
      authorization_servers: [byDefault.provider.url],
      scopes_supported: SCOPES,
    });
    const resource = 'https://plants.example.org';
    expect(await metadataOf(mapped)).toMatchObject({ resource, scopes_supported: ['read'] });
    expect(await metadataOf(byGroup)).not.toHaveProperty('scopes_supported');
    expect(operationsOf(document).open).toContain(`GET ${METADATA_PATH}`);
    expect(document.components.securitySchemes['bearer']).toMatchObject({
      bearerFormat: 'opaque or JWT',
      description: expect.stringContaining(byDefault.provider.url) as string,
    });
  });
});

describe('a JWT at /tokens', () => {
  test('grants what it has, and nothing else', async () => {
    const { provider, service } = await startBoth();
    const caller = bearer(await provider.token({ claims: { scope: 'admin plants:read' } }));
    const grant = async (scope: string) =>
      service.send('POST', '/tokens', { ...caller, body: { name: 'greenhouse', scopes: [scope] } });

    expect(await grant('plants:read')).toMatchObject({ status: 201, body: { scopes: ['plants:read'] } });
    expect(await grant('plants:write')).toMatchObject({ status: 403, body: { error: 40300 } });
    expect(await listed(service)).toHaveLength(2);
  });

  test('learns what it is worth, and an end after the year 9999 as a time that others can read', async () => {
    const { provider, service } = await startBoth();

    for (const [exp, expiresAt] of [
      [seconds(60), expect.any(String) as string],
      ...[253_402_300_800, 8.64e12, 1e300].map((end) => [end, '9999-12-31T23:59:59.999Z'] as const),
    ] as const) {
      const caller = bearer(await provider.token({ claims: { exp } }));
      const { body } = await service.send('GET', '/tokens/current', caller);
      expect(body).toEqual({ id: 'oidc:sub-1', scopes: ['plants:read'], expiresAt });
    }
  });
});

test('without an identity provider, a JWT is an unknown token like any other', async () => {
  const provider = await startIdentityProvider();
  const service = await startService();

  expect(await statusOf(service, await provider.token())).toBe(401);
  expect((await service.request(METADATA_PATH)).status).toBe(404);
  expect(provider.requests).toEqual([]);
});

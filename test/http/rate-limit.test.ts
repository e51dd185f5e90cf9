import { describe, expect, test, vi } from 'vitest';
import { AccessTokensService, generateSecret } from '../../src/kernel/auth/access-tokens.service.js';
import { TokenVerifier } from '../../src/kernel/auth/token-verifier.js';
import { type Service, startService } from '../support/service.js';
import { issue } from '../support/tokens.js';

/** Sends a token that nobody has. */
async function guess(service: Service, headers: Record<string, string> = {}, secret = 'a-guess') {
  return service.send('GET', '/plants', { headers: { Authorization: `Bearer ${secret}`, ...headers } });
}

const LIMIT_HEADERS = ['RateLimit', 'RateLimit-Policy', 'Retry-After'];

describe('the rate limit of a token', () => {
  test('answers 429 beyond its burst, says what is left, and lets other tokens go on', async () => {
    const service = await startService({ RATE_LIMIT: '1:2' });
    const { headers: other } = await issue(service, ['plants:write']);

    const answers = [];
    for (const id of [1, 2, 3]) answers.push(await service.create({ id, name: 'Aloe' }));

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429]);
    expect(answers.map(({ headers }) => LIMIT_HEADERS.map((name) => headers.get(name)))).toEqual([
      ['"token";r=1;t=1', '"token";q=2;w=2', null],
      ['"token";r=0;t=2', '"token";q=2;w=2', null],
      ['"token";r=0;t=2', '"token";q=2;w=2', '1'],
    ]);
    expect(answers[2]?.body).toEqual({
      error: 42900,
      message: 'The access token has made too many requests.',
    });
    expect(await service.plants()).toHaveLength(2);
    expect((await service.create({ id: 4, name: 'Aloe' }, other)).status).toBe(200);
    await vi.waitFor(async () => expect((await service.send('GET', '/plants')).status).toBe(200), {
      timeout: 5_000,
    });
  });

  test('is off by default, and never there for what needs no token', async () => {
    const unlimited = await startService();
    const limited = await startService({ RATE_LIMIT: '1' });

    const answers = [await unlimited.send('GET', '/plants')];
    for (let count = 0; count < 3; count += 1) answers.push(await limited.request('/health/live'));

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    for (const { headers } of answers) for (const name of LIMIT_HEADERS) expect(headers.get(name)).toBeNull();
  });
});

describe('guesses of tokens', () => {
  test('beyond the limit are answered 429 without a look-up, whatever X-Forwarded-For says', async () => {
    const service = await startService({}, undefined, { authFailureLimit: 3 });
    const tokens = service.app.get(AccessTokensService);
    await tokens.adopt({ name: 'test', scopes: ['plants:read'], expiresAt: null }, 'chosen');
    const met = { Authorization: 'Bearer chosen' };
    expect((await service.send('GET', '/plants', { headers: met })).status).toBe(200);

    const answers = [];
    for (const last of [1, 2, 3, 4])
      answers.push(await guess(service, { 'X-Forwarded-For': `192.0.2.${last}` }));
    const lookUp = vi.spyOn(tokens, 'findByDigest');
    answers.push(await guess(service));

    // Until it was found, the chosen one could be a guess as well.
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 429, 429, 429]);
    expect(answers[4]?.body).toEqual({
      error: 42900,
      message: 'Too many access tokens from this address were not valid.',
    });
    // One more after a third of a minute.
    expect(Number(answers[4]?.headers.get('retry-after'))).toBeOneOf([19, 20]);
    expect(lookUp).not.toHaveBeenCalled();
    expect(await service.request('/plants')).toMatchObject({ status: 401, body: { error: 40100 } });

    vi.spyOn(service.app.get(TokenVerifier), 'recall').mockReturnValue(undefined);
    expect((await service.send('GET', '/plants', { headers: met })).status).toBe(200);
    expect(lookUp).toHaveBeenCalledOnce();
  });

  test('are 20 by default, also when they come at once, and keep BOOTSTRAP_TOKEN out for nobody', async () => {
    const service = await startService();

    const answers = await Promise.all(Array.from({ length: 40 }, async () => guess(service)));

    const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b);
    expect(statuses).toEqual([...Array(20).fill(401), ...Array(20).fill(429)]);
    expect((await service.send('GET', '/plants')).status).toBe(200);
  });

  test('that have the form of a token of the service are limited, so that others keep the database', async () => {
    const service = await startService();
    const statuses: number[] = [];
    while (statuses.length < 2_500) {
      const some = Array.from({ length: 100 }, async () => guess(service, {}, generateSecret()));
      statuses.push(...(await Promise.all(some)).map(({ status }) => status));
    }

    expect(statuses.filter((status) => status === 401).length).toBeGreaterThanOrEqual(1_000);
    expect(statuses).toContain(429);
    expect((await service.send('GET', '/plants')).status).toBe(200);
  });

  test('are not what has the form of a token of the service, which is never kept out', async () => {
    const service = await startService();
    const list = async (secret: string) =>
      (await service.send('GET', '/plants', { headers: { Authorization: `Bearer ${secret}` } })).status;
    const [wrong, malformed] = [new Set<number>(), new Set<number>()];

    for (let count = 0; count < 30; count += 1) {
      malformed.add(await list(`pst_${count}`));
      wrong.add(await list(generateSecret()));
    }
    const { headers } = await issue(service);

    expect([...malformed]).toEqual([401, 429]);
    expect([...wrong]).toEqual([401]);
    expect((await service.send('GET', '/tokens/current', { headers })).status).toBe(200);
  });
});

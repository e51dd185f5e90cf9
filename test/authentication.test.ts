import { createHash } from 'node:crypto';
import { Reflector } from '@nestjs/core';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';
import { DataSource } from 'typeorm';
import { describe, expect, test, vi } from 'vitest';
import { AccessTokensService } from '../src/auth/access-tokens.service.js';
import { BearerAuthGuard } from '../src/auth/bearer-auth.guard.js';
import { generateSecret } from '../src/auth/token-secret.js';
import { TokenVerifier } from '../src/auth/token-verifier.js';
import type { Scope } from '../src/auth/scope.js';
import { FailureLimit } from '../src/limits/failure-limit.js';
import { type Service, startService, TOKEN } from './support/service.js';

const PLANT = { id: 1, name: 'Aloe' };
const CHALLENGE = 'Bearer realm="plant-store"';

async function issue(service: Service, scopes: Scope[], expiresAt: Date | null = null) {
  return service.app.get(AccessTokensService).issue({ name: 'test', scopes, expiresAt });
}

describe('authentication', () => {
  test.for([
    ['no Authorization header', ''],
    ['another scheme', 'Basic YTpi'],
    ['a scheme that begins like Bearer', `Bearers ${TOKEN}`],
    ['a scheme without a token', 'Bearer'],
    ['a token without a scheme', TOKEN],
  ] as const)('asks for a token when there is %s', async ([, authorization]) => {
    const service = await startService();

    const answer = await service.create(PLANT, { Authorization: authorization });

    expect(answer).toMatchObject({ status: 401, body: { error: 40100, message: expect.any(String) } });
    expect(answer.headers.get('www-authenticate')).toBe(CHALLENGE);
    expect(await service.plants()).toEqual([]);
  });

  test.for([
    ['is unknown', 'Bearer somebody-else'],
    ['is the start of a valid one', `Bearer ${TOKEN.slice(0, -1)}`],
    ['differs in case', `Bearer ${TOKEN.toUpperCase()}`],
    ['has a space inside', `Bearer ${TOKEN} ${TOKEN}`],
    ['has characters that tokens do not have', 'Bearer "quoted"'],
    ['looks like one of ours but has a wrong checksum', `Bearer pst_${'a'.repeat(38)}`],
  ] as const)('refuses a token that %s', async ([, authorization]) => {
    const service = await startService();

    const answer = await service.create(PLANT, { Authorization: authorization });

    expect(answer).toMatchObject({ status: 401, body: { error: 40101, message: expect.any(String) } });
    expect(answer.headers.get('www-authenticate')).toBe(`${CHALLENGE}, error="invalid_token"`);
    expect(await service.plants()).toEqual([]);
  });

  test.for(['Bearer', 'bearer', 'BEARER', 'Bearer  '])('takes the scheme as %s', async (scheme) => {
    const service = await startService();

    expect(await service.create(PLANT, { Authorization: `${scheme} ${TOKEN}` })).toMatchObject({
      status: 200,
    });
  });

  test('does not take a token from the query or the body, and does not mind one there', async () => {
    const service = await startService();
    const withBoth = { ...PLANT, access_token: TOKEN };

    const init = {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(withBoth),
    };
    const without = await service.request(`/plants?access_token=${TOKEN}`, init);
    const beside = await service.request(`/plants?access_token=x&access_token[]=y`, {
      ...init,
      headers: { ...init.headers, Authorization: `Bearer ${TOKEN}` },
    });

    expect(without).toMatchObject({ status: 401, body: { error: 40100 } });
    expect(beside).toMatchObject({ status: 200 });
  });

  test('comes before the body: what is wrong with it stays unread', async () => {
    const service = await startService();

    const answer = await service.create('not JSON, and too long'.padEnd(200_000), {
      Authorization: '',
      'Content-Type': 'text/plain',
    });

    expect(answer).toMatchObject({ status: 401, body: { error: 40100 } });
  });

  test('lets a new token in at once, with the scope it needs', async () => {
    const service = await startService();
    const { secret } = await issue(service, ['plants:write']);

    expect(secret).toMatch(/^pst_[0-9A-Za-z]{38}$/);
    expect(await service.create(PLANT, { Authorization: `Bearer ${secret}` })).toMatchObject({ status: 200 });
  });

  test('refuses a token that lacks the scope, and names it', async () => {
    const service = await startService();
    const { secret } = await issue(service, ['plants:read', 'metrics:read', 'admin']);

    const answer = await service.create(PLANT, { Authorization: `Bearer ${secret}` });

    expect(answer).toMatchObject({
      status: 403,
      body: { error: 40300, message: expect.stringContaining('plants:write') },
    });
    expect(answer.headers.get('www-authenticate')).toBe(
      `${CHALLENGE}, error="insufficient_scope", scope="plants:write"`,
    );
    expect(await service.plants()).toEqual([]);
  });

  test.for([
    [['plants:write'], 'the scope plants:read'],
    [['plants:read', 'admin'], 'the scope plants:write'],
    [['admin'], 'the scopes plants:read and plants:write'],
  ] as const)('asks for each scope that a change needs: %o lacks %s', async ([scopes, lacking]) => {
    const service = await startService();
    await service.create(PLANT);
    const { secret } = await issue(service, [...scopes]);

    const answer = await service.send('PATCH', `/plants/${PLANT.id}`, {
      body: {},
      headers: { Authorization: `Bearer ${secret}`, 'Content-Type': 'application/json' },
    });

    expect(answer).toMatchObject({
      status: 403,
      body: { error: 40300, message: `The access token lacks ${lacking}.` },
    });
    expect(answer.headers.get('www-authenticate')).toBe(
      `${CHALLENGE}, error="insufficient_scope", scope="plants:read plants:write"`,
    );
  });

  test('refuses an expired token, although it was accepted a moment ago', async () => {
    const service = await startService();
    const { secret } = await issue(service, ['plants:write'], new Date(Date.now() + 300));
    const create = async (id: number) =>
      service.create({ ...PLANT, id }, { Authorization: `Bearer ${secret}` });

    expect(await create(1)).toMatchObject({ status: 200 });
    const refused = await vi.waitUntil(async () => {
      const answer = await create(2);
      return answer.status === 400 || answer.status === 200 ? undefined : answer;
    });

    expect(refused).toMatchObject({ status: 401, body: { error: 40101 } });
  });

  test('refuses a revoked token within 5 seconds, and a revoked token that is not in use at once', async () => {
    const service = await startService();
    const tokens = service.app.get(AccessTokensService);
    const used = await issue(service, ['plants:write']);
    const unused = await issue(service, ['plants:write']);
    const create = async ({ secret }: { secret: string }) =>
      service.create('', { Authorization: `Bearer ${secret}` });
    expect(await create(used)).toMatchObject({ status: 400 });

    await tokens.revoke(used.token.id);
    await tokens.revoke(unused.token.id);

    expect(await create(unused)).toMatchObject({ status: 401, body: { error: 40101 } });
    await vi.waitFor(async () => expect(await create(used)).toMatchObject({ status: 401 }), {
      timeout: 5_000,
    });
  });

  test('looks a thousand wrong tokens that come at once up in few statements', async () => {
    const service = await startService();
    const log = vi.spyOn(service.app.get(DataSource).logger, 'logQuery');

    const answers = await Promise.all(
      Array.from({ length: 1_000 }, async () =>
        service.create(PLANT, { Authorization: `Bearer ${generateSecret()}` }),
      ),
    );

    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401]));
    expect(log.mock.calls.filter(([sql]) => sql.includes('access_tokens')).length).toBeLessThan(500);
  });

  test('looks tokens up again when the database is back', async () => {
    const service = await startService();
    const tokens = await Promise.all([1, 2, 3].map(async () => issue(service, ['plants:write'])));
    const create = async () => {
      const answers = tokens.map(async ({ secret }) =>
        service.create('', { Authorization: `Bearer ${secret}` }),
      );
      return (await Promise.all(answers)).map(({ body }) => (body as { error: number }).error);
    };

    await service.database.execute('ALTER TABLE access_tokens RENAME TO elsewhere');
    const failed = await create();
    await service.database.execute('ALTER TABLE elsewhere RENAME TO access_tokens');

    expect(failed).toEqual([50000, 50000, 50000]);
    expect(await create()).toEqual([40000, 40000, 40000]);
  });

  test('lets only admin into a route that names no scope', async () => {
    const service = await startService();
    const guard = service.app.get(Reflector);
    const verifier = service.app.get(TokenVerifier);
    const failures = service.app.get(FailureLimit);
    class Unnamed {}
    const enter = async (scopes: Scope[]) => {
      const { secret } = await issue(service, scopes);
      await verifier.verify(secret);
      const request = { headers: { authorization: `Bearer ${secret}` } };
      const context = new ExecutionContextHost([request], Unnamed, () => undefined);
      return new BearerAuthGuard(guard, verifier, failures).canActivate(context);
    };

    expect(await enter(['admin'])).toBe(true);
    await expect(enter(['plants:read', 'plants:write', 'metrics:read'])).rejects.toMatchObject({
      error: 40300,
    });
  });

  test('never writes a token, a query or a body to the log', async () => {
    const service = await startService({ LOG_LEVEL: 'trace' });
    const { secret } = await issue(service, ['plants:write']);

    await service.create({ id: 1, name: 'a-name' }, { Authorization: `Bearer ${secret}` });
    await service.create({ id: 1, name: 'a-name' }, { Authorization: `Bearer ${secret}` });
    await service.create('{"a-body', { Authorization: `Bearer ${secret}x` });
    await service.request(`/plants?access_token=${secret}`);
    await vi.waitUntil(() => service.log.filter((line) => line.includes('"path":"/plants"')).length === 4);

    const log = service.log.join('');
    for (const hidden of [secret, TOKEN, 'access_token', 'a-name', 'a-body'])
      expect(log).not.toContain(hidden);
  });

  test('stores no secret, only its SHA-256', async () => {
    const service = await startService();
    const { secret, token } = await issue(service, ['plants:write']);

    const stored = await service.database.dump();

    expect(token.digest).toBe(createHash('sha256').update(secret).digest('hex'));
    expect(stored).toContain(token.digest);
    expect(stored).not.toContain(secret.slice(4, 36));
    expect(stored).not.toContain(TOKEN);
  });
});

import { Reflector } from '@nestjs/core';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';
import { describe, expect, test, vi } from 'vitest';
import { BearerAuthGuard } from '../src/kernel/auth/bearer-auth.guard.js';
import type { Scope } from '../src/kernel/auth/principal.js';
import { TokenVerifier } from '../src/kernel/auth/token-verifier.js';
import { Settings } from '../src/kernel/config/settings.js';
import { startService, TOKEN } from './support/service.js';
import { issue } from './support/tokens.js';

const PLANT = { id: 1, name: 'Aloe' };
const CHALLENGE = 'Bearer realm="plant-store"';
const INVALID = `${CHALLENGE}, error="invalid_token"`;

describe('authentication', () => {
  test('takes a token of the scheme Bearer, and refuses everything else with a challenge', async () => {
    const service = await startService();

    for (const [authorization, error, challenge] of [
      ['', 40100, CHALLENGE],
      ['Basic YTpi', 40100, CHALLENGE],
      [`Bearers ${TOKEN}`, 40100, CHALLENGE],
      ['Bearer', 40100, CHALLENGE],
      [TOKEN, 40100, CHALLENGE],
      [`Bearer ${TOKEN} ${TOKEN}`, 40100, CHALLENGE],
      ['Bearer somebody-else', 40101, INVALID],
      [`Bearer ${TOKEN.slice(0, -1)}`, 40101, INVALID],
      [`Bearer ${TOKEN.toUpperCase()}`, 40101, INVALID],
      ['Bearer "quoted"', 40101, INVALID],
      [`Bearer pst_${'a'.repeat(38)}`, 40101, INVALID],
    ] as const) {
      const answer = await service.create(PLANT, { Authorization: authorization });

      expect(answer, authorization).toMatchObject({
        status: 401,
        body: { error, message: expect.any(String) },
      });
      expect(answer.headers.get('www-authenticate')).toBe(challenge);
    }
    expect(await service.plants()).toEqual([]);
    for (const scheme of ['Bearer', 'bearer', 'BEARER', 'Bearer  '])
      expect(
        (await service.send('GET', '/plants', { headers: { Authorization: `${scheme} ${TOKEN}` } })).status,
      ).toBe(200);
  });

  test('ignores a token in the query or the body', async () => {
    const service = await startService();
    const body = { ...PLANT, access_token: TOKEN };
    const create = (query: string, headers = {}) =>
      service.send('POST', `/plants?${query}`, { body, headers });

    expect(await create(`access_token=${TOKEN}`, { Authorization: '' })).toMatchObject({
      status: 401,
      body: { error: 40100 },
    });
    expect(await create('access_token=x&access_token[]=y')).toMatchObject({ status: 200 });
  });

  test('comes before the body, which stays unread', async () => {
    const service = await startService();

    const answer = await service.create('not JSON, and too long'.padEnd(200_000), {
      Authorization: '',
      'Content-Type': 'text/plain',
    });

    expect(answer).toMatchObject({ status: 401, body: { error: 40100 } });
  });

  test('names each missing scope', async () => {
    const service = await startService();

    for (const [method, path, scopes, lacks, required] of [
      ['POST', '/plants', ['plants:read', 'metrics:read', 'admin'], 'the scope plants:write', 'plants:write'],
      ['PATCH', '/plants/1', ['plants:write'], 'the scope plants:read', 'plants:read plants:write'],
      [
        'PATCH',
        '/plants/1',
        ['admin'],
        'the scopes plants:read and plants:write',
        'plants:read plants:write',
      ],
    ] as const) {
      const { headers } = await issue(service, scopes);

      const answer = await service.send(method, path, { body: PLANT, headers });

      expect(answer).toMatchObject({
        status: 403,
        body: { error: 40300, message: `The access token lacks ${lacks}.` },
      });
      expect(answer.headers.get('www-authenticate')).toBe(
        `${CHALLENGE}, error="insufficient_scope", scope="${required}"`,
      );
    }
    expect(await service.plants()).toEqual([]);
  });

  test('refuses an expired token, although it was accepted a moment ago', async () => {
    const service = await startService();
    const { headers } = await issue(service, ['plants:read'], new Date(Date.now() + 300));
    const read = () => service.send('GET', '/plants', { headers });

    expect(await read()).toMatchObject({ status: 200 });
    await vi.waitFor(async () => expect(await read()).toMatchObject({ status: 401, body: { error: 40101 } }));
  });

  test('looks a token up again when the database is back', async () => {
    const service = await startService();
    const { headers } = await issue(service, ['plants:write']);

    await service.database.execute('ALTER TABLE access_tokens RENAME TO elsewhere');
    const failed = await service.create(PLANT, headers);
    await service.database.execute('ALTER TABLE elsewhere RENAME TO access_tokens');

    expect(failed).toMatchObject({ body: { error: 50000 } });
    expect(await service.create(PLANT, headers)).toMatchObject({ status: 200 });
  });

  test('lets only admin into a route that names no scope', async () => {
    const service = await startService();
    const verifier = service.app.get(TokenVerifier);
    const guard = new BearerAuthGuard(new Reflector(), verifier, service.app.get(Settings));
    class Unnamed {}
    const enter = async (scopes: Scope[]) => {
      const { headers, secret } = await issue(service, scopes);
      await verifier.verify(secret);
      const request = { headers: { authorization: headers.Authorization } };
      return guard.canActivate(new ExecutionContextHost([request], Unnamed, () => undefined));
    };

    expect(await enter(['admin'])).toBe(true);
    await expect(enter(['plants:read', 'plants:write', 'metrics:read'])).rejects.toMatchObject({
      error: 40300,
    });
  });

  test('never writes a token, a query or a body to the log', async () => {
    const service = await startService({ LOG_LEVEL: 'trace' });
    const { secret, headers } = await issue(service, ['plants:write']);

    await service.create({ id: 1, name: 'a-name' }, headers);
    await service.create({ id: 1, name: 'a-name' }, headers);
    await service.create('{"a-body', { Authorization: `Bearer ${secret}x` });
    await service.request(`/plants?access_token=${secret}`);
    await vi.waitUntil(() => service.log.filter((line) => line.includes('"path":"/plants"')).length === 4);

    const log = service.log.join('');
    for (const hidden of [secret, TOKEN, 'access_token', 'a-name', 'a-body'])
      expect(log).not.toContain(hidden);
  });
});

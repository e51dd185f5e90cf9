import { describe, expect, test, vi } from 'vitest';
import { AccessTokensService } from '../../../src/kernel/auth/access-tokens.service.js';
import { plantStore } from '../../support/command-line.js';
import { type Service, startService } from '../../support/service.js';
import { issue, listed, type TestToken } from '../../support/tokens.js';

const TODAY = new Date().toISOString().slice(0, 10);

async function use(service: Service, { headers }: TestToken): Promise<number> {
  return (await service.send('GET', '/plants', { headers })).status;
}

/** The days on which tokens were last used. */
async function daysOf(service: Service, ...tokens: readonly TestToken[]): Promise<(string | undefined)[]> {
  const all = await listed(service);
  return tokens.map(({ id }) => all.find((token) => token.id === id)?.lastUsedOn);
}

describe('the last use of a token', () => {
  test('is noted to the day, and shown over HTTP and on the command line', async () => {
    const service = await startService();
    const [used, unused] = [await issue(service), await issue(service)];

    await use(service, used);

    await vi.waitFor(async () => expect(await daysOf(service, used, unused)).toEqual([TODAY, undefined]));
    const { stdout } = await plantStore(service.database, ['token', 'list']);
    expect(stdout).toMatch(new RegExp(`${used.id}.*${TODAY}`));
    expect(stdout).toMatch(new RegExp(`${unused.id}.*"lastUsedOn":null`));
  });

  test('moves on with the days, and never back', async () => {
    const service = await startService();
    const [yesterday, tomorrow] = [await issue(service), await issue(service)];
    const tokens = service.app.get(AccessTokensService);
    await tokens.noteUse(yesterday.id, '2020-01-01');
    await tokens.noteUse(tomorrow.id, '2999-01-01');

    await use(service, tomorrow);
    await use(service, yesterday);

    await vi.waitFor(async () =>
      expect(await daysOf(service, yesterday, tomorrow)).toEqual([TODAY, '2999-01-01']),
    );
  });

  test('is not noted for a revoked or an expired one', async () => {
    const service = await startService();
    const [revoked, expired] = [await issue(service), await issue(service, ['admin'], new Date(0))];
    const valid = await issue(service);
    await service.app.get(AccessTokensService).revoke(revoked.id);

    for (const token of [revoked, expired, valid]) await use(service, token);

    await vi.waitFor(async () =>
      expect(await daysOf(service, revoked, expired, valid)).toEqual([undefined, undefined, TODAY]),
    );
  });

  test('does not fail the request when it cannot be noted', async () => {
    const service = await startService();
    const token = await issue(service, ['plants:read']);
    const noteUse = vi
      .spyOn(service.app.get(AccessTokensService), 'noteUse')
      .mockRejectedValue(new Error('refused'));

    expect(await use(service, token)).toBe(200);
    expect(noteUse).toHaveBeenCalledOnce();
    expect(service.log.join('')).not.toContain('"level":"error"');
  });
});

import { describe, expect, inject, test, vi } from 'vitest';
import { DataSource } from 'typeorm';
import { AccessTokensService } from '../../src/auth/access-tokens.service.js';
import { TokenVerifier } from '../../src/auth/token-verifier.js';
import { plantStore } from '../support/command-line.js';
import { type Service, startService } from '../support/service.js';
import { issue, listed, type TestToken } from '../support/tokens.js';

const TODAY = new Date().toISOString().slice(0, 10);

/** Statements that let a database refuse the notes, and take them again. */
const REFUSAL = {
  sqlite: {
    refuse: `CREATE TRIGGER refusal BEFORE UPDATE ON access_tokens BEGIN SELECT raise(ABORT, 'refused'); END`,
    allow: 'DROP TRIGGER refusal',
  },
  postgres: {
    refuse: 'ALTER TABLE access_tokens ADD CONSTRAINT refusal CHECK (last_used_on IS NULL)',
    allow: 'ALTER TABLE access_tokens DROP CONSTRAINT refusal',
  },
};

/** Looks tokens up in the database, as requests do every two seconds. */
async function use(service: Service, ...tokens: readonly TestToken[]): Promise<void> {
  for (const { secret } of tokens) await service.app.get(TokenVerifier).verify(secret);
}

/** The days on which tokens were last used. */
async function daysOf(service: Service, ...tokens: readonly TestToken[]): Promise<(string | undefined)[]> {
  const all = await listed(service);
  return tokens.map(({ id }) => all.find((token) => token.id === id)?.lastUsedOn);
}

/** Waits until a token that is used now is noted, and so are all that were used before. */
async function untilNoted(service: Service): Promise<void> {
  const token = await issue(service, ['plants:read']);
  await use(service, token);
  await vi.waitFor(async () => expect(await daysOf(service, token)).toEqual([TODAY]), { timeout: 5_000 });
}

describe('the last use of a token', () => {
  test('is noted to the day, once', async () => {
    const service = await startService();
    const [used, unused] = [await issue(service), await issue(service)];
    const log = vi.spyOn(service.app.get(DataSource).logger, 'logQuery');
    const notes = () =>
      log.mock.calls.flatMap(([sql, parameters]) => (/^UPDATE.*last_used_on/.test(sql) ? [parameters] : []));

    await service.send('GET', '/plants', { headers: used.headers });
    await use(service, used, used);
    await untilNoted(service);
    expect(
      notes()
        .flat()
        .filter((parameter) => parameter === used.id),
    ).toHaveLength(1);
    log.mockClear();
    await use(service, used, used);
    await untilNoted(service);

    expect(await daysOf(service, used, unused)).toEqual([TODAY, undefined]);
    expect(notes()).toHaveLength(1);
    expect(notes().flat()).not.toContain(used.id);
    const { stdout } = await plantStore(service.database, ['token', 'list']);
    expect(stdout).toMatch(new RegExp(`^${used.id} .* ${TODAY}$`, 'm'));
    expect(stdout).toMatch(new RegExp(`^${unused.id} .* never$`, 'm'));
  });

  test('moves on with the days, and never back', async () => {
    const service = await startService();
    const [yesterday, tomorrow] = [await issue(service), await issue(service)];
    const tokens = service.app.get(AccessTokensService);
    await tokens.noteUse([yesterday.id], '2020-01-01');
    await tokens.noteUse([tomorrow.id], '2999-01-01');

    await use(service, yesterday, tomorrow);
    await untilNoted(service);
    await tokens.noteUse([yesterday.id, tomorrow.id], '2019-01-01');

    expect(await daysOf(service, yesterday, tomorrow)).toEqual([TODAY, '2999-01-01']);
  });

  test('is not what somebody tries with a revoked or expired one', async () => {
    const service = await startService();
    const [revoked, expired] = [await issue(service), await issue(service, ['admin'], new Date(0))];
    await service.app.get(AccessTokensService).revoke(revoked.id);

    await use(service, revoked, expired);
    await untilNoted(service);

    expect(await daysOf(service, revoked, expired)).toEqual([undefined, undefined]);
  });

  test('that cannot be noted is of no consequence, and is noted later', async () => {
    const service = await startService();
    const token = await issue(service, ['plants:read']);
    const noteUse = vi.spyOn(service.app.get(AccessTokensService), 'noteUse');
    const { refuse, allow } = REFUSAL[inject('database')];
    await service.database.execute(refuse);
    const start = service.log.length;

    const { status } = await service.send('GET', '/plants', { headers: token.headers });
    await vi.waitFor(() => expect(noteUse.mock.settledResults[0]?.type).toBe('rejected'), { timeout: 5_000 });
    await service.database.execute(allow);
    await use(service, token);
    await untilNoted(service);

    expect(status).toBe(200);
    expect(await daysOf(service, token)).toEqual([TODAY]);
    expect(service.log.slice(start).filter((line) => !line.includes('"level":"info"'))).toEqual([]);
  });
});

import { describe, expect, test, vi } from 'vitest';
import { ADMIN } from '../../../src/kernel/auth/principal.js';
import { plantStore } from '../../support/command-line.js';
import { type Answer, type Service, startService } from '../../support/service.js';
import { issue, listed, type ListedToken } from '../../support/tokens.js';

const NEW_TOKEN = { name: 'greenhouse', scopes: ['plants:read'] };
const SCOPES_RULE = /^scopes must be a list of different scopes, one or more\.$/;

async function create(service: Service, body: unknown, headers?: Record<string, string>): Promise<Answer> {
  return service.send('POST', '/tokens', { body, ...(headers && { headers }) });
}

async function idsOf(service: Service): Promise<string[]> {
  return (await listed(service)).map(({ id }) => id);
}

describe('POST /tokens', () => {
  test('makes a token that works at once, and shows its secret there only', async () => {
    const service = await startService({ LOG_LEVEL: 'trace' });
    const expiresAt = '2099-01-01T01:00:00.500999999+01:00';

    const answer = await create(service, { ...NEW_TOKEN, expiresAt, unknown: true });
    const { secret, ...token } = answer.body as ListedToken & { secret: string };
    const use = async () =>
      service.send('GET', '/plants', { headers: { Authorization: `Bearer ${secret}` } });
    const read = await use();

    expect(answer.status).toBe(201);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(secret).toMatch(/^pst_[0-9A-Za-z]{38}$/);
    expect(token).toEqual({
      ...NEW_TOKEN,
      id: expect.stringMatching(/^[0-9a-f]{12}$/) as string,
      createdAt: expect.any(String) as string,
      createdBy: expect.any(String) as string,
      expiresAt: '2099-01-01T00:00:00.500Z',
    });
    expect(read.status).toBe(200);
    const used = { ...token, lastUsedOn: expect.any(String) as string };
    await vi.waitFor(async () => {
      // While the use of another token is noted, this one waits for its next look-up.
      await use();
      expect(await listed(service)).toContainEqual(used);
    });
    await vi.waitUntil(() => service.log.filter((line) => line.includes('"path":"/tokens"')).length >= 2);
    const seen = [...service.log, await service.database.dump(), JSON.stringify(await listed(service))];
    expect(seen.join('')).not.toContain(secret.slice(4, 36));
  });

  test('refuses what is no token, and makes none', async () => {
    const service = await startService();
    const before = await idsOf(service);

    for (const [change, message] of [
      [{ name: undefined }, /^name is missing\.$/],
      [{ name: ' \u2003 ' }, /^name must /],
      [{ name: 'a\nb' }, /^name must /],
      [{ name: '\ud800' }, /^name must /],
      [{ name: '\u{1F33F}'.repeat(201) }, /^name must /],
      [{ scopes: undefined }, /^scopes is missing\.$/],
      [{ scopes: [] }, SCOPES_RULE],
      [{ scopes: 'plants:read' }, SCOPES_RULE],
      [{ scopes: ['plants:read', 'plants:read'] }, SCOPES_RULE],
      [{ scopes: ['plants:read', 'root'] }, /^scopes must be among .*admin\.$/],
      [{ scopes: [['admin']] }, /^scopes must be among /],
      [{ expiresAt: null }, /^expiresAt must be a time /],
      [{ expiresAt: '2020-01-01T00:00:00Z' }, /^expiresAt must be in the future\.$/],
    ] as const)
      expect(await create(service, { ...NEW_TOKEN, ...change })).toMatchObject({
        status: 400,
        body: { error: 40001, message: expect.stringMatching(message) },
      });
    expect(await idsOf(service)).toEqual(before);
  });

  test('takes a name of 200 characters, as the command line does, which refuses the same', async () => {
    const service = await startService();
    const longest = '\u{1F33F}'.repeat(200);
    const byCommand = async (name: string) =>
      (await plantStore(service.database, ['token', 'create', '--name', name])).code;

    expect(await create(service, { ...NEW_TOKEN, name: longest })).toMatchObject({ status: 201 });
    expect(await byCommand(longest)).toBe(0);
    expect(await byCommand(`${longest}a`)).toBe(2);
    expect(await byCommand(' ')).toBe(2);
    expect(await byCommand('a\nb')).toBe(2);
  });

  test.for([
    [[ADMIN], ['plants:read'], 'the scope plants:read', 'admin plants:read'],
    [
      [ADMIN, 'plants:read'],
      ['plants:write', 'plants:read', ADMIN, 'metrics:read'],
      'the scopes plants:write and metrics:read',
      'admin plants:write plants:read metrics:read',
    ],
  ] as const)('lets a token of %o not grant %o', async ([scopes, granted, lacking, needed]) => {
    const service = await startService();
    const { headers } = await issue(service, scopes);
    const before = await idsOf(service);

    const answer = await create(service, { ...NEW_TOKEN, scopes: granted }, headers);

    expect(answer).toMatchObject({
      status: 403,
      body: {
        error: 40300,
        message: `The access token lacks ${lacking}, and a token grants only scopes that it has; the command plant-store token create grants any.`,
      },
    });
    expect(answer.headers.get('www-authenticate')).toBe(
      `Bearer realm="plant-store", error="insufficient_scope", scope="${needed}"`,
    );
    expect(await idsOf(service)).toEqual(before);
    expect(await create(service, { ...NEW_TOKEN, scopes }, headers)).toMatchObject({ status: 201 });
  });

  test('lets a token that ends make only tokens that end no later', async () => {
    const service = await startService();
    const end = '2099-01-01T00:00:00.000Z';
    const { headers } = await issue(service, [ADMIN, 'plants:read'], new Date(end));
    const before = await idsOf(service);

    for (const expiresAt of [undefined, '2099-01-01T00:00:00.001Z'])
      expect(await create(service, { ...NEW_TOKEN, expiresAt }, headers)).toMatchObject({
        status: 400,
        body: {
          error: 40001,
          message: `expiresAt must be ${end} or earlier, because the access token of the request ends then.`,
        },
      });

    expect(await idsOf(service)).toEqual(before);
    expect(await create(service, { ...NEW_TOKEN, expiresAt: end }, headers)).toMatchObject({ status: 201 });
  });
});

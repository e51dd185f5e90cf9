import { expect, test } from 'vitest';
import { startService } from '../../../../support/service.js';
import { issue, listed } from '../../../../support/tokens.js';
import { ConsolePage, describeConsole } from '../console-page.js';

const TOKENS = '#/tokens';

/** What the table shows of a token. */
function row({ page }: ConsolePage, text: string) {
  return page.getByRole('row').filter({ hasText: text });
}

function inDays(days: number): Date {
  return new Date(Date.now() + days * 86_400_000);
}

describeConsole('access tokens', () => {
  test('are listed, newest first and ended ones last, with what they may do, their state and their last use', async () => {
    const service = await startService();
    const revoked = await issue(service, ['plants:read', 'metrics:read']);
    await issue(service, ['plants:write'], new Date('2020-02-03T12:00:00Z'));
    await issue(service, ['metrics:read'], inDays(400));
    await issue(service, ['admin'], inDays(2));
    await service.send('DELETE', `/tokens/${revoked.id}`);

    const console = await ConsolePage.open({ at: TOKENS }, service);

    await row(console, 'bootstrap').getByText('This session').waitFor();
    const rows = await console.page.locator('tbody tr').allTextContents();
    expect(rows).toEqual([
      expect.stringMatching(/^test Manage access and webhooksExpires soon: \w+ \d+, \d+Never/),
      expect.stringMatching(/^test See metricsExpires \w+ \d+, \d+Never/),
      expect.stringMatching(
        /^bootstrap This session.*See and export plants.*Manage access and webhooksNever expires \w+ \d+, \d+\w+/,
      ),
      expect.stringMatching(/^test Change and import plantsExpired Feb 3, 2020Never/),
      expect.stringMatching(/^test See and export plants · See metricsRevoked .*Never/),
    ]);
  });

  test('are made, shown once, copied, and work', async () => {
    const context = { timezoneId: 'America/Los_Angeles' };
    const console = await ConsolePage.open({ hand: 'keyboard', at: TOKENS, context });
    const { service, page } = console;
    await console.context.grantPermissions(['clipboard-read', 'clipboard-write']);

    await console.press('button', 'Give access');
    await console.fill('Who or what for', '<b>greenhouse</b>');
    await console.press('checkbox', 'See and export plants');
    await console.press('checkbox', 'Change and import plants');
    await console.press('checkbox', 'Change and import plants');
    // A field of a date takes no whole text from a keyboard.
    await console.reach(console.control('textbox', 'Expires on'));
    await page.keyboard.type('05062031');
    await console.press('button', 'Give access');
    await console.reads('Copy it now. It will not be shown again.');
    const secret = await console.text('Secret');
    await console.press('button', 'Copy');
    await console.shows('status', 'Copied');
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(secret);
    await console.press('button', 'Copy message');
    await expect
      .poll(() => page.evaluate(() => navigator.clipboard.readText()))
      .toBe(
        `You have access to the plant store, until May 6, 2031.\n1. Open ${service.url}/console/\n2. Sign in with this access token: ${secret}`,
      );
    await console.press('button', 'Done');
    await console.closesDialog();

    await row(console, '<b>greenhouse</b>').getByText('Expires May 6, 2031').waitFor();
    expect((await listed(service)).at(-1)).toMatchObject({
      name: '<b>greenhouse</b>',
      scopes: ['plants:read'],
      expiresAt: '2031-05-07T06:59:59.000Z',
    });
    expect(await page.content()).not.toContain(secret);
    const headers = { Authorization: `Bearer ${secret}` };
    expect((await service.send('GET', '/plants', { headers })).status).toBe(200);
    expect((await service.create({ id: 1, name: 'Aloe' }, headers)).status).toBe(403);
  });

  test('that are refused say why at the field, in words', async () => {
    const service = await startService();
    const end = inDays(3);
    const { secret } = await issue(service, ['admin', 'plants:read'], end);
    const console = await ConsolePage.open(
      { hand: 'keyboard', at: TOKENS, token: secret, context: { timezoneId: 'UTC' } },
      service,
    );
    const submit = async () => console.press('button', 'Give access');
    await console.press('button', 'Give access');
    await console.reads('Your own token expires on');

    await submit();
    await console.shows('alert', /^Enter a name/);
    await console.fill('Who or what for', 'greenhouse');
    await submit();
    await console.shows('alert', /^Select at least one\.$/);
    await console.press('checkbox', 'See and export plants');
    await submit();
    await console.shows('alert', /^Choose a later day, but not after your own token expires\.$/);
    expect(await console.control('textbox', 'Expires on').getAttribute('aria-invalid')).toBe('true');
    const day = inDays(2).toISOString().slice(0, 10);
    await console.control('textbox', 'Expires on').fill(day);
    await submit();

    await console.reads('Copy it now. It will not be shown again.');
    expect((await listed(service)).at(-1)).toMatchObject({ expiresAt: `${day}T23:59:59.000Z` });
  });

  test('are revoked after asking', async () => {
    const service = await startService();
    const { headers } = await issue(service, ['plants:read']);
    const console = await ConsolePage.open({ hand: 'keyboard', at: TOKENS }, service);

    await console.press('button', 'Revoke test');
    await console.focuses('Cancel');
    await console.press('button', 'Cancel');
    await console.focuses('Revoke test');
    expect((await service.send('GET', '/plants', { headers })).status).toBe(200);
    await console.press('button', 'Revoke test');
    await console.reads('This cannot be undone.');
    await console.press('button', 'Revoke');
    await console.says('Revoked test');

    await row(console, 'test').getByText('Revoked').waitFor();
    await console.focuses('Access');
    expect(await console.control('button', 'Revoke test').count()).toBe(0);
    expect((await service.send('GET', '/plants', { headers })).status).toBe(401);
  });

  test('with the scope admin ask twice when they are the last one, and the own one ends the access', async () => {
    const service = await startService();
    const { secret } = await issue(service, ['plants:read']);
    const console = await ConsolePage.open({ hand: 'keyboard', at: TOKENS }, service);

    await console.press('button', 'Revoke bootstrap');
    await console.shows('alert', 'You are signed in with this token.');
    await console.press('button', 'Revoke');
    await console.shows('alert', 'This is the last token');
    expect((await service.send('GET', '/tokens')).status).toBe(200);
    await console.press('button', 'Revoke anyway');
    await console.page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect((await service.send('GET', '/tokens')).status).toBe(401);

    await console.signIn(secret);
    await console.shows('alert', 'lacks the scope admin');
    await console.control('link', 'Access').waitFor({ state: 'detached' });
  });

  test('are not offered to a token without the scope admin', async () => {
    const console = await ConsolePage.open({ scopes: ['plants:read'] });

    await console.control('link', 'Access').waitFor({ state: 'detached' });
    await console.control('link', 'Overview').waitFor();
    await console.press('button', 'Sign out');
    await console.signIn();
    await console.control('link', 'Access').waitFor();
    expect(console.page.url()).toBe(`${console.service.url}/console/`);
  });

  test('whose answer is lost are not made twice', async () => {
    const console = await ConsolePage.open({ at: TOKENS });
    await console.disturb('**/tokens', 'POST', async (route) => {
      await route.fetch();
      await route.abort();
    });
    await console.press('button', 'Give access');
    await console.fill('Who or what for', 'greenhouse');
    await console.press('checkbox', 'See and export plants');

    await console.press('button', 'Give access');
    await console.shows('alert', 'Cannot reach');

    expect((await listed(console.service)).map(({ name }) => name)).toEqual(['bootstrap', 'greenhouse']);
  });
});

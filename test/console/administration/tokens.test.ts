import { expect, test } from 'vitest';
import { startService } from '../../support/service.js';
import { issue, listed } from '../../support/tokens.js';
import { ConsolePage, describeConsole } from '../console-page.js';

const TOKENS = '#/tokens';

/** What the list shows of a token. */
function card({ page }: ConsolePage, text: string) {
  return page.getByRole('listitem').filter({ hasText: text });
}

describeConsole('access tokens', () => {
  test('are listed, newest first, with what they may do and whether they are in use or revoked', async () => {
    const service = await startService();
    const revoked = await issue(service, ['plants:read', 'metrics:read']);
    await issue(service, ['plants:write'], new Date('2020-02-03T12:00:00Z'));
    await service.send('DELETE', `/tokens/${revoked.id}`);

    const console = await ConsolePage.open({ at: TOKENS }, service);

    await card(console, 'bootstrap').getByText('in use here').waitFor();
    const cards = await console.page.getByRole('listitem').allTextContents();
    expect(cards).toEqual([
      expect.stringMatching(/^test plants:write.*expired Feb 3, 2020 · never used/),
      expect.stringMatching(
        new RegExp(`^test plants:readmetrics:read${revoked.id}.* · revoked .*never used$`),
      ),
      expect.stringMatching(/^bootstrap in use here.*admin.* · never expires · /),
    ]);
  });

  test('are made, shown once, copied, and work', async () => {
    const context = { timezoneId: 'America/Los_Angeles' };
    const console = await ConsolePage.open({ hand: 'keyboard', at: TOKENS, context });
    const { service, page } = console;
    await console.context.grantPermissions(['clipboard-read', 'clipboard-write']);

    await console.press('button', 'New token');
    await console.fill('Name', '<b>greenhouse</b>');
    await console.press('checkbox', 'plants:read');
    await console.press('checkbox', 'plants:write');
    await console.press('checkbox', 'plants:write');
    // A field of a date takes no whole text from a keyboard.
    await console.reach(console.control('textbox', 'Last day'));
    await page.keyboard.type('05062031');
    await console.press('button', 'Make the token');
    await console.reads('Copy it now. It is not shown again.');
    const secret = await console.text('Secret');
    await console.press('button', 'Copy');
    await console.shows('status', 'Copied.');
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(secret);
    await console.press('button', 'I have kept it');
    await console.closesDialog();

    await card(console, '<b>greenhouse</b>').getByText('expires May 6, 2031').waitFor();
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
    await console.says('test is revoked.');

    await card(console, 'test').getByText('revoked').waitFor();
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
    await console.press('button', 'Revoke it all the same');
    await console.page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect((await service.send('GET', '/tokens')).status).toBe(401);

    await console.signIn(secret);
    await console.shows('alert', 'lacks the scope admin');
    await console.control('link', 'Tokens').waitFor({ state: 'detached' });
  });

  test('are not offered to a token without the scope admin', async () => {
    const console = await ConsolePage.open({ scopes: ['plants:read'] });

    await console.control('link', 'Tokens').waitFor({ state: 'detached' });
    await console.control('link', 'Overview').waitFor();
    await console.press('button', 'Sign out');
    await console.signIn();
    await console.control('link', 'Tokens').waitFor();
    expect(console.page.url()).toBe(`${console.service.url}/console/`);
  });

  test('whose answer is lost are not made twice', async () => {
    const console = await ConsolePage.open({ at: TOKENS });
    await console.disturb('**/tokens', 'POST', async (route) => {
      await route.fetch();
      await route.abort();
    });
    await console.press('button', 'New token');
    await console.fill('Name', 'greenhouse');
    await console.press('checkbox', 'plants:read');

    await console.press('button', 'Make the token');
    await console.shows('alert', 'cannot be reached');

    expect((await listed(console.service)).map(({ name }) => name)).toEqual(['bootstrap', 'greenhouse']);
  });
});

import type { Route } from 'playwright-core';
import { expect, test } from 'vitest';
import { numberedLines } from '../../../../support/plants.js';
import { importRequest, startService } from '../../../../support/service.js';
import { issue } from '../../../../support/tokens.js';
import { ConsolePage, describeConsole } from '../console-page.js';

const OVERVIEW = '#/overview';

/** Waits until a figure of the overview, with its hint, is as expected. */
async function shows({ page }: ConsolePage, name: string, text: string | RegExp): Promise<void> {
  await page
    .locator('main dl > div')
    .filter({ has: page.getByText(name, { exact: true }) })
    .filter({ hasText: text })
    .waitFor();
}

/** Lets the time pass after which the console looks again. */
async function lookAgain({ page }: ConsolePage): Promise<void> {
  await page.clock.fastForward(3_000);
}

function degraded(check: string) {
  return { status: 200, json: { status: 'degraded', check } };
}

describeConsole('the overview', () => {
  test('shows whether the service is ready, and otherwise why not and what to do', async () => {
    const console = await ConsolePage.open({ expected: [/^50[23]/] });
    await console.page.clock.install();
    await console.press('link', 'Overview');
    await console.shows('status', /^ReadyReads and writes work\.Up for \d+ (second|minute)s?$/);

    // The console looks again by itself too.
    let answer: Parameters<Route['fulfill']>[0];
    await console.page.route('**/health/ready', async (route) =>
      answer ? route.fulfill(answer) : route.continue(),
    );
    for (const [next, text] of [
      [degraded('writes'), 'Writes fail.Reads work. The log says why'],
      [degraded('moved'), 'Degraded (moved).Reads work. Check the log'],
      [
        { status: 503, json: { error: 50300, message: 'The database does not answer.' } },
        'The database does not answer.Check its log and its database.',
      ],
      [{ status: 502, body: '<h1>Bad gateway' }, 'The service is not ready.Check its log'],
    ] as const) {
      answer = next;
      await lookAgain(console);
      await console.shows('status', text);
    }
    answer = undefined;
    await lookAgain(console);

    await console.shows('status', /^Ready/);
  });

  test('says that nothing answers, keeps the last figures, and goes on by itself', async () => {
    const console = await ConsolePage.open({ plants: [{ id: 1, name: 'Aloe' }], at: OVERVIEW });
    await shows(console, 'Plants', /^Plants1$/);
    await shows(console, 'Write queue', '0');
    await console.page.clock.install();

    await console.context.setOffline(true);
    await console.press('link', 'Plants');
    await console.press('link', 'Overview');

    await shows(console, 'Plants', /^Plants–Cannot reach the service\.$/);
    await console.shows('status', /^Cannot reach the service\..*Retry now$/);
    await console.reads(/^Last updated /);
    expect(await console.page.getByText('Cannot reach').count()).toBe(2);
    await shows(console, 'Write queue', '0');
    expect(await console.page.getByText('metrics:read').count()).toBe(0);
    await console.context.setOffline(false);
    await lookAgain(console);
    await console.shows('status', /^Ready/);
  });

  test('counts all plants without being asked, and again on demand', async () => {
    const service = await startService();
    await service.request('/plants/import', importRequest(numberedLines(1_234)));
    const console = await ConsolePage.open({}, service);
    await console.page.clock.install();

    await console.press('link', 'Overview');
    await shows(console, 'Plants', /^Plants1,234$/);
    await service.send('DELETE', '/plants/1');
    await console.page.clock.fastForward(30_000);
    await shows(console, 'Plants', /^Plants1,233$/);

    const message = 'Too many exports, counts and searches.';
    await console.disturb('**/plants/count*', 'GET', async (route) =>
      route.fulfill({ status: 429, json: { error: 42900, message } }),
    );
    await console.page.clock.fastForward(30_000);
    await shows(console, 'Plants', `1,233${message}`);
  });

  test('shows what the service measures of itself', async () => {
    const console = await ConsolePage.open({ at: OVERVIEW });

    await shows(console, 'Write queue', /^Write queue0 \/ [\d,]+$/);
    await shows(console, 'Database', / [kM]B[\d.,]+ [GM]B free$/);
    await shows(console, 'Last backup', 'OffSet BACKUP_FOLDER.');
    await shows(console, 'Version', /\d+\.\d+\.\d+sqlite$/);
  });

  test('shows the latest activity, webhooks that need somebody, and tokens that expire soon', async () => {
    const service = await startService({ WEBHOOK_KEY: 'k'.repeat(32), WEBHOOK_ADDRESSES: '127.0.0.0/8' });
    await issue(service, ['metrics:read'], new Date(Date.now() + 3.5 * 86_400_000));
    await issue(service, ['metrics:read'], new Date(Date.now() + 30 * 86_400_000));
    const webhook = { url: 'http://127.0.0.1:9/hook', resource: 'plants' };
    const console = await ConsolePage.open({ at: OVERVIEW }, service);
    await console.item('No webhooks').waitFor();

    await service.send('POST', '/webhooks', { body: webhook });
    await service.create({ id: 1, name: 'Aloe' });
    await console.item('created 1 Aloe').waitFor();
    const failing = async () =>
      ((await service.send('GET', '/webhooks')).body as { lastFailureAt?: string }[])[0];
    await expect.poll(async () => (await failing())?.lastFailureAt).toBeDefined();
    await console.page.reload();

    await console.item(/^127.0.0.1:9\/hookFailing/).waitFor();
    const tokens = console.page.locator('main section', { hasText: 'Expiring tokens' }).locator('li');
    expect(await tokens.allInnerTexts()).toEqual([expect.stringMatching(/^test\s+Expires\s+in 3 days/)]);
    await console.press('link', 'Latest activity: View all');
    await console.shows('status', 'Latest 1 change');
  });

  test('shows a token only what its scopes allow', async () => {
    const console = await ConsolePage.open({ scopes: ['plants:read'], at: OVERVIEW });

    await console.shows('status', /^Ready/);
    await shows(console, 'Plants', /^Plants0$/);
    await console.reads('Access that can see metrics');
    expect(await console.page.getByText('Write queue', { exact: true }).count()).toBe(0);
  });

  test('asks for the next token when this one has ended, and goes on with it', async () => {
    const service = await startService();
    const { id, secret } = await issue(service, ['plants:read', 'metrics:read']);
    const console = await ConsolePage.open({ token: secret }, service);
    await console.page.clock.install();
    await console.press('link', 'Overview');
    await shows(console, 'Write queue', '0');

    await service.send('DELETE', `/tokens/${id}`);
    await lookAgain(console);
    await console.page.getByRole('heading', { name: 'Sign in' }).waitFor();
    // Nobody waits for the next token while the console does not look.
    await console.page.clock.fastForward(10_000);
    const measured = console.page.waitForResponse(
      (response) => response.url().endsWith('/metrics') && response.ok(),
    );
    await console.signIn();
    await console.closesDialog();
    await measured;
  });
});

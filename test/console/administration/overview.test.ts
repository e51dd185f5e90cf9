import { expect, test } from 'vitest';
import { createMany, numberedLines } from '../../support/plants.js';
import { importRequest, startService } from '../../support/service.js';
import { ConsolePage, describeConsole } from '../console-page.js';

const OVERVIEW = '#/overview';

/** Waits until a figure of the overview, with its hint, is as expected. */
async function shows({ page }: ConsolePage, name: string, text: string | RegExp): Promise<void> {
  await page
    .locator('.cards > div')
    .filter({ has: page.getByText(name, { exact: true }) })
    .filter({ hasText: text })
    .waitFor();
}

/** Lets the time pass after which the console looks again. */
async function lookAgain({ page }: ConsolePage): Promise<void> {
  await page.clock.fastForward(3_000);
}

describeConsole('the overview', () => {
  test('shows whether the service is ready, and why it is not', async () => {
    const console = await ConsolePage.open({ expected: [/^503/] });
    const answers = [
      { status: 200, json: { status: 'degraded', reason: 'disk_full' } },
      { status: 503, json: { error: 50300, message: 'The database does not answer.' } },
    ];
    await console.page.route('**/health/ready', async (route) => {
      const answer = answers.shift();
      return answer ? route.fulfill(answer) : route.continue();
    });

    await console.page.clock.install();

    await console.press('link', 'Overview');
    await shows(console, 'Service', 'Degradeddisk full');
    await lookAgain(console);
    await shows(console, 'Service', 'Not readyThe database does not answer.');
    await lookAgain(console);

    await shows(console, 'Service', /^ServiceReady$/);
  });

  test('counts all plants when it is asked', async () => {
    const service = await startService();
    await service.request('/plants/import', importRequest(numberedLines(1_234)));
    const console = await ConsolePage.open({ hand: 'keyboard', at: OVERVIEW }, service);
    await shows(console, 'Plants', '–');

    await console.press('button', 'Count all');
    await shows(console, 'Plants', /^Plants1,234Count/);
    await service.send('DELETE', '/plants/1');
    await console.press('button', 'Count all');

    await shows(console, 'Plants', /^Plants1,233Count/);
  });

  test('shows what the service measures of itself', async () => {
    const console = await ConsolePage.open();
    await console.page.clock.install();
    await console.press('link', 'Overview');
    await shows(console, 'Writes a second', '…');
    await shows(console, 'Waiting writes', /^Waiting writes0of [\d,]+ at most$/);
    await shows(console, 'Last backup', 'None');
    await shows(console, 'Version', /\d+\.\d+\.\d+/);

    await createMany(console.service, 30);
    await lookAgain(console);

    await shows(console, 'Writes a second', /second[1-9]/);
    await lookAgain(console);
    await shows(console, 'Writes a second', /second0/);
  });

  test('shows a token without the scope metrics:read what it is for', async () => {
    const console = await ConsolePage.open({ scopes: ['plants:read'], at: OVERVIEW });

    await shows(console, 'Service', 'Ready');
    await shows(console, 'Overview', 'More is shown to a token with the scope metrics:read.');
    expect(await console.page.getByText('Writes a second').count()).toBe(0);
  });
});

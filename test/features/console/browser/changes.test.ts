import type { Request } from 'playwright-core';
import { expect, test } from 'vitest';
import { startService } from '../../../support/service.js';
import { issue } from '../../../support/tokens.js';
import { ConsolePage, describeConsole } from './console-page.js';

const FERNS = [1, 2, 3].map((id) => ({ id, name: `Fern ${id}` }));

/** How bright the rows are, and what moves at the top of the page. */
function looksBusy(): (string | undefined)[] {
  const rows = document.querySelector('tbody');
  return [
    rows ? getComputedStyle(rows).opacity : undefined,
    getComputedStyle(document.body, '::before').animationName,
  ];
}

/** Leaves the tab for another one, or returns. */
async function look({ page }: ConsolePage, isHidden: boolean): Promise<void> {
  await page.evaluate((hidden) => {
    Object.defineProperty(document, 'hidden', { value: hidden, configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
  }, isHidden);
}

const isStream = (request: Request) => request.url().includes('/plants/changes');

describeConsole('a list', () => {
  test('says at once how many plants have changed elsewhere, and shows them on demand', async () => {
    const console = await ConsolePage.open({ hand: 'keyboard', plants: FERNS });
    await console.row('Fern 3').waitFor();
    await console.service.send('DELETE', '/plants/1');
    await console.service.send('PUT', '/plants/2', { body: { name: ' ' } });
    await console.service.create({ id: 4, name: 'Aloe' });

    await console.shows('status', '3 plants changed');
    const answer = await console.hold('**/plants?*', 'GET', Infinity);
    await console.press('button', 'Refresh');
    // What is old is dim at once, and a bar runs.
    await expect.poll(async () => console.page.evaluate(looksBusy)).toEqual(['0.5', 'run']);
    answer();

    await console.row('Aloe').waitFor();
    await console.row('␣').waitFor();
    await console.page.getByText('1 plant changed').waitFor({ state: 'detached' });
    await console.focuses('Plants');
  });

  test('says nothing of what the user has changed here', async () => {
    const console = await ConsolePage.open({ plants: FERNS });
    const { page } = console;
    await console.row('Fern 3').waitFor();
    await page.evaluate(() => {
      const notices = new Set<string>();
      new MutationObserver(() =>
        document.querySelectorAll('main .notice p').forEach(({ textContent }) => notices.add(textContent)),
      ).observe(document.body, { subtree: true, childList: true, characterData: true });
      Object.assign(globalThis, { notices });
    });

    await console.press('button', 'Edit Fern 1');
    await console.isLoaded();
    await console.fill('Name', 'Aloe');
    await console.press('button', 'Save');
    await console.row('Aloe').waitFor();
    await console.press('checkbox', 'Select all on this page');
    await console.press('button', 'Delete …');
    await console.press('button', 'Delete');
    await console.reads('No plants yet');
    const { promise: isTold, resolve: answer } = Promise.withResolvers<void>();
    await console.disturb('**/plants/batch', 'POST', async (route) => {
      const response = await route.fetch();
      await isTold;
      await route.fulfill({ response });
    });
    const other = await ConsolePage.open({ at: '#/changes' }, console.service, console.context);
    await console.press('button', 'Undo');
    // Both tabs are told of them before the answer.
    await other.shows('status', 'Live: latest 10 changes');
    answer();
    await console.row('Fern 3').waitFor();
    await console.service.create({ id: 4, name: 'Theirs' });
    await console.shows('status', '1 plant changed');

    expect(await page.evaluate('[...notices]')).toEqual(['1 plant changed']);
  });

  test('follows nothing while nobody looks, and says what has changed when the user returns', async () => {
    const console = await ConsolePage.open({ plants: FERNS, at: '#/changes' });
    await console.row('Fern 3').waitFor();
    await console.press('link', 'Plants');
    await console.shows('status', '1–3 of 3 plants');

    const end = console.page.waitForEvent('requestfailed', isStream);
    await look(console, true);
    await end;
    await console.service.send('DELETE', '/plants/1');
    const begin = console.page.waitForRequest(isStream);
    await look(console, false);
    await begin;

    await console.shows('status', '1 plant changed');
  });

  test('of a service that keeps no changes says what has changed when the user returns', async () => {
    const service = await startService({ CHANGES_KEPT: '0' });
    const console = await ConsolePage.open({ plants: FERNS }, service);
    await console.row('Fern 3').waitFor();
    await service.send('DELETE', '/plants/1');

    await look(console, false);

    await console.shows('status', '1 plant changed');
    await console.press('link', 'Changes');
    await console.shows('alert', 'The service keeps no changes.');
  });
});

describeConsole('the changes', () => {
  test('are shown as they are made, newest first, with what was before and every digit', async () => {
    const service = await startService();
    await service.create('{"id": 9007199254740993, "name": "Aloe"}');
    const console = await ConsolePage.open({ plants: FERNS, at: '#/changes' }, service);
    await console.shows('status', 'Live: latest 4 changes');

    await service.send('PATCH', '/plants/9007199254740993', { body: { name: 'Aloe vera', tag: 'sun' } });
    await service.send('DELETE', '/plants/1');
    await console.shows('status', 'Live: latest 6 changes');

    const rows = await console.page.locator('tbody tr').allInnerTexts();
    expect(
      rows.map((text) =>
        text.split(/\s*[\t\n]+/).map((cell) => cell.replaceAll(/ \d+\/.*|[\u2068\u2069]/g, '')),
      ),
    ).toEqual([
      ['1', 'Fern 1', 'deleted'],
      ['9007199254740993', 'Aloe vera sun', 'name: Aloe → Aloe vera', 'tag: – → sun', 'changed'],
      ['3', 'Fern 3', 'created'],
      ['2', 'Fern 2', 'created'],
      ['1', 'Fern 1', 'created'],
      ['9007199254740993', 'Aloe', 'created'],
    ]);
  });

  test('are paused, found by an id, copied as a command, and lead to the plant', async () => {
    const console = await ConsolePage.open({ hand: 'keyboard', plants: FERNS, at: '#/changes' });
    const { page, service, context } = console;
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await console.row('Fern 3').waitFor();

    await console.press('button', 'Pause');
    await service.send('PATCH', '/plants/2', { body: { name: 'Aloe' } });
    await service.create({ id: 22, name: 'Aloe' });
    await console.fill('ID', '2', 'searchbox');
    await console.shows('status', /^Paused: latest 3 changes, 1 with ID .2.$/);
    await console.press('button', 'Resume');
    await console.shows('status', /^Live: latest 5 changes, 2 with ID .2.$/);
    await console.press('button', 'Copy as curl');
    await console.says('Copied');

    expect(await page.evaluate(async () => navigator.clipboard.readText())).toBe(
      `curl '${service.url}/plants/changes?after=-200' -H 'Accept: application/x-ndjson' ` +
        `-H "Authorization: Bearer $TOKEN" | grep '"plant":{"id":2[,}]'`,
    );
    await page.reload();
    await console.use('link', console.row('Aloe').getByRole('link'));
    await page.getByRole('heading', { name: 'Plants' }).waitFor();
    await console.row('Aloe').waitFor();
  });

  test('end with the token, and go on with the next one', async () => {
    const service = await startService();
    await service.create(FERNS[0]);
    const { id, secret } = await issue(service, ['plants:read']);
    const console = await ConsolePage.open({ token: secret, at: '#/changes' }, service);
    await console.row('Fern 1').waitFor();

    await service.send('DELETE', `/tokens/${id}`);
    await console.shows('alert', 'The access token is not valid');
    await console.shows('status', 'Disconnected: latest 1 change');
    await console.press('button', 'Try again');
    await console.signIn();
    await service.create(FERNS[1]);

    await console.row('Fern 2').waitFor();
    expect(await console.page.getByRole('alert').count()).toBe(0);
  });

  test('go on when the service is back', async () => {
    const console = await ConsolePage.open({ plants: FERNS, at: '#/changes' });
    await console.row('Fern 1').waitFor();
    await console.shows('status', /^Live$/);

    await console.context.setOffline(true);
    await look(console, false);
    await console.shows('alert', 'Cannot reach the service.');
    await console.press('link', 'Plants');
    await console.shows('status', /^Offline$/);
    await console.press('link', 'Changes');
    await console.row('Fern 1').waitFor();
    await console.service.create({ id: 4, name: 'Aloe' });
    await console.context.setOffline(false);

    await console.row('Aloe').waitFor();
    await console.shows('status', /^Live$/);
  });

  test('need the scope plants:read', async () => {
    const console = await ConsolePage.open({ scopes: ['metrics:read'], at: '#/changes' });

    await console.shows('alert', 'lacks the scope plants:read');
  });
});

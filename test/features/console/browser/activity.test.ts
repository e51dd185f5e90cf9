import type { Request } from 'playwright-core';
import { expect, test } from 'vitest';
import { createMany } from '../../../support/plants.js';
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

/** Opens the groups of several changes that are not open. */
async function openGroups({ page }: ConsolePage): Promise<void> {
  await page.locator('main li').first().waitFor();
  for (const group of await page.locator('details:not([open]) > summary').all()) await group.click();
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
        document
          .querySelectorAll('main [role=status]')
          .forEach(({ textContent }) => / changed/.test(textContent) && notices.add(textContent)),
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
    const other = await ConsolePage.open({ at: '#/activity' }, console.service, console.context);
    await console.press('button', 'Undo');
    // Both tabs are told of them before the answer.
    await other.shows('status', 'Latest 10 changes');
    answer();
    await console.row('Fern 3').waitFor();
    await console.service.create({ id: 4, name: 'Theirs' });
    await console.shows('status', '1 plant changed');

    expect(await page.evaluate('[...notices]')).toEqual(['1 plant changed Refresh']);
  });

  test('follows nothing while nobody looks, and says what has changed when the user returns', async () => {
    const console = await ConsolePage.open({ plants: FERNS, at: '#/activity' });
    await console.shows('status', 'Latest 3 changes');
    await console.press('link', 'Plants');
    await console.shows('status', '3 plants');

    const end = console.page.waitForEvent('requestfailed', isStream);
    await look(console, true);
    await end;
    await console.service.send('DELETE', '/plants/1');
    const begin = console.page.waitForRequest(isStream);
    await look(console, false);
    await begin;

    await console.shows('status', '1 plant changed');
  });

  test('is read once where its plants have not changed for a while', async () => {
    const console = await ConsolePage.open({ plants: FERNS, token: '' });
    const lists: string[] = [];
    console.page.on('request', (request) => {
      const { pathname, search } = new URL(request.url());
      if (pathname === '/plants') lists.push(search);
    });
    const at = new Date(Date.now() - 60_000).toISOString();
    const body = `data: ${JSON.stringify({ cursor: 1, at, kind: 'created', plant: FERNS[0] })}\n\n`;
    await console.disturb(
      '**/changes?*',
      'GET',
      async (route) => route.fulfill({ contentType: 'text/event-stream', body }),
      Infinity,
    );

    await console.signIn();
    await console.page.getByTitle('Live').waitFor();
    await console.page.locator('header bdi', { hasText: 'bootstrap' }).waitFor();
    await console.fill('Search', 'Fern 3', 'searchbox');
    await expect.poll(() => lists.at(-1)).toContain('search=');

    expect(lists).toHaveLength(2);
  });

  test('of a service that keeps no changes says what has changed when the user returns', async () => {
    const service = await startService({ CHANGES_KEPT: '0' });
    const console = await ConsolePage.open({ plants: FERNS }, service);
    await console.row('Fern 3').waitFor();
    await service.send('DELETE', '/plants/1');

    await look(console, false);

    await console.shows('status', '1 plant changed');
    await console.press('link', 'Activity');
    await console.shows('alert', 'The service keeps no changes.');
  });
});

/** The sentences of the view, without times and buttons. */
async function sentences({ page }: ConsolePage): Promise<string[]> {
  const texts = await page.locator('main li p').allInnerTexts();
  return texts.map((text) =>
    text
      .replaceAll(/[\u2068\u2069]/g, '')
      .replaceAll(/\s+/g, ' ')
      .trim(),
  );
}

describeConsole('the activity', () => {
  test('is shown as it happens, newest first, with the fields that changed and every digit', async () => {
    const service = await startService();
    await service.create('{"id": 9007199254740993, "name": "Aloe"}');
    const console = await ConsolePage.open({ plants: FERNS, at: '#/activity' }, service);
    await console.shows('status', 'Latest 4 changes');

    await service.send('PATCH', '/plants/9007199254740993', { body: { name: 'Aloe vera', tag: 'sun' } });
    await service.send('DELETE', '/plants/1');
    await console.shows('status', 'Latest 6 changes');
    // A new minute begins another group.
    await openGroups(console);

    const entries = (await sentences(console)).filter((text) => !/plants/.test(text));
    expect(entries.map((text) => text.replace(/^\D*/, ''))).toEqual([
      '1 Fern 1',
      '9007199254740993 Aloe vera sun name Aloe → Aloe vera tag – → sun',
      '3 Fern 3',
      '2 Fern 2',
      '1 Fern 1',
      '9007199254740993 Aloe',
    ]);
  });

  test('is grouped by minute and who, with names where the token may read them', async () => {
    const service = await startService();
    const { id: importer } = await issue(service, ['plants:write']);
    const { body } = await service.send('GET', '/tokens/current');
    const minute = new Date();
    minute.setHours(12, 30, 1, 0);
    const at = minute.toISOString();
    const callers = [...Array.from({ length: 120 }, () => importer), Object(body).id, 'oidc:mara', undefined];
    const lines = callers.map((by: string | undefined, cursor) => ({
      cursor,
      at,
      kind: 'created',
      by,
      plant: { id: 7, name: 'Aloe' },
    }));
    const console = await ConsolePage.open({}, service);
    await console.disturb(
      '**/plants/changes*',
      'GET',
      async (route) =>
        route.fulfill({
          contentType: 'text/event-stream',
          body: lines.map((line) => `data: ${JSON.stringify(line)}\n\n`).join(''),
        }),
      Infinity,
    );
    await console.press('link', 'Activity');
    await console.item('oidc').or(console.item('mara')).first().waitFor();

    expect((await sentences(console)).slice(0, 4)).toEqual([
      'Unknown created 7 Aloe',
      'mara created 7 Aloe',
      'You created 7 Aloe',
      'test created 120 plants',
    ]);
    await console.page.locator('summary').click();
    await console.reads('and 20 earlier changes');
    expect(await console.page.locator('details li').count()).toBe(102);
  });

  test('has filters, which the address keeps and the service applies', async () => {
    const console = await ConsolePage.open({ hand: 'keyboard', plants: FERNS, at: '#/activity' });
    const { page, service } = console;
    await service.send('PATCH', '/plants/2', { body: { name: 'Aloe' } });
    await service.create({ id: 22, name: 'Agave' });
    await console.shows('status', 'Latest 5 changes');

    await console.fill('Plant ID', '2', 'searchbox');
    await page.keyboard.press('Enter');
    await console.shows('status', 'Latest 2 changes');
    await page.getByRole('combobox', { name: 'Kind' }).selectOption('changed');
    await console.shows('status', 'Latest 1 change');
    await page.reload();
    await console.shows('status', 'Latest 1 change');
    await console.press('link', 'Clear filters');
    await console.shows('status', 'Latest 5 changes');

    await console.press('button', 'Last hour');
    await console.shows('status', 'Latest 5 changes');
    const asked = page.waitForRequest(/by=.*since=2999-01-0/);
    await page.getByLabel('Since').fill('2999-01-02T00:00');
    await page.getByRole('combobox', { name: 'Who' }).selectOption('bootstrap');
    await asked;
    await console.reads('No changes');
  });

  test('can be paused', async () => {
    const console = await ConsolePage.open({ plants: FERNS, at: '#/activity' });
    await console.shows('status', 'Latest 3 changes');

    await console.press('button', 'Pause');
    await console.shows('status', 'Paused: 3 changes');
    await console.service.create({ id: 4, name: 'Aloe' });
    await console.press('link', 'Plants');
    await console.row('Aloe').waitFor();
    await console.press('link', 'Activity');
    await console.shows('status', 'Latest 4 changes');
  });

  test('brings a plant back, unless someone else has it by then, and undoes that', async () => {
    const console = await ConsolePage.open({ plants: FERNS });
    const { service, page } = console;
    await service.send('DELETE', '/plants/1');
    await service.send('PATCH', '/plants/2', { body: { tag: 'sun' } });
    await console.press('link', 'Activity');
    await console.shows('status', 'Latest 5 changes');
    await openGroups(console);

    await console.press('button', /^Restore .Fern 1.$/);
    await console.says('Restored Fern 1');
    await console.press('button', /^Restore .Fern 2.$/);
    await console.says('Restored Fern 2');
    await expect
      .poll(async () => service.plants())
      .toEqual(FERNS.map(({ id, name }) => ({ id: BigInt(id), name, tag: null })));
    // What is as it was needs no button.
    await expect.poll(async () => page.getByRole('button', { name: /^Restore/ }).count()).toBe(1);
    await page.getByRole('button', { name: 'Undo', exact: true }).first().click();
    await expect.poll(async () => (await service.plants()).length).toBe(2);
    await page
      .getByRole('button', { name: /^Restore .Fern 1.$/ })
      .first()
      .waitFor();
    await console.press('button', 'Pause');
    await service.create({ id: 1, name: 'Theirs' });
    await page
      .getByRole('button', { name: /^Restore .Fern 1.$/ })
      .first()
      .click();

    await console.shows('alert', 'another plant has the ID');
    expect((await service.plants())[0]).toMatchObject({ name: 'Theirs' });
  });

  test('undoes all of a group of any size, except what was changed since or is no longer known', async () => {
    const service = await startService();
    await createMany(service, 1_200);
    await service.create({ id: 2_000, name: 'Gone', tag: 'old' });
    const before = await service.plants();
    const { headers } = await issue(service, ['plants:read', 'plants:write']);
    const all = before.map(({ id }) => ({ kind: 'patch', id: Number(id), body: { tag: 'wrong' } }));
    for (const operations of [all.slice(0, 600), all.slice(600, 1_200), [{ kind: 'delete', id: 2_000 }]])
      await service.send('POST', '/plants/batch', { headers, body: { operations } });
    await service.send('PATCH', '/plants/7', { body: { tag: 'theirs' } });
    await service.send('PATCH', '/plants/8', { body: { name: 'Theirs' } });
    const console = await ConsolePage.open({ at: '#/activity' }, service);

    await console.page.locator('summary', { hasText: 'changed 1,200 plants' }).click();
    await console.press('button', 'Undo all 1,201');
    await console.press('button', 'Undo all');
    await console.says(
      'Undid the changes of 1,200 plants. Skipped 1 plant that someone else changed or deleted: 7 “plant 7”',
    );

    Object.assign(before.find(({ id }) => id === 7n) ?? {}, { tag: 'theirs' });
    Object.assign(before.find(({ id }) => id === 8n) ?? {}, { name: 'Theirs' });
    expect(await service.plants()).toEqual(before);
  });

  test('says which tag a group has set, if that is all that it has done', async () => {
    const service = await startService();
    await createMany(service, 120);
    const batches = [
      Array.from({ length: 120 }, (_, index) => ({
        kind: 'patch',
        id: index + 1,
        body: { tag: index === 0 ? 'first' : 'sale' },
      })),
      [3, 4].map((id) => ({ kind: 'patch', id, body: { tag: 'green' } })),
      [5, 6].map((id) => ({ kind: 'patch', id, body: { tag: null } })),
      [7, 8].map((id) => ({ kind: 'patch', id, body: { tag: 'renamed', name: `new ${id}` } })),
      [9, 10, 11].map((id) => ({ kind: 'delete', id })),
    ];
    for (const operations of batches) {
      const { headers } = await issue(service, ['plants:read', 'plants:write']);
      await service.send('POST', '/plants/batch', { headers, body: { operations } });
    }
    const { page } = await ConsolePage.open({ at: '#/activity' }, service);

    await page.locator('summary', { hasText: 'deleted 3 plants' }).waitFor();
    const groups = (await page.locator('summary p').allInnerTexts()).map((text) =>
      text.replaceAll(/\s+/g, ' ').trim(),
    );
    expect(groups.slice(0, 5)).toEqual([
      'test deleted 3 plants',
      'test changed 2 plants',
      'test changed 2 plants tag → none',
      'test changed 2 plants tag → green',
      'test changed 120 plants',
    ]);
  });

  test('tells a token what it has done itself, and what others have done but not who they are', async () => {
    const service = await startService();
    await service.create(FERNS[0]);
    const console = await ConsolePage.open({ scopes: ['plants:read', 'plants:write'] }, service);
    await console.goTo('#/plants?id=1');
    await console.isLoaded();
    await console.fill('Name', 'Mine');
    await console.press('button', 'Save');
    await console.says('Saved “Mine”');
    await console.goTo('#/activity');

    await console.item('You').waitFor();
    await console.item('Someone').waitFor();
  });

  test('tells a token with tokens:read who it was', async () => {
    const service = await startService();
    await service.create(FERNS[0]);
    const console = await ConsolePage.open(
      { scopes: ['plants:read', 'tokens:read'], at: '#/activity' },
      service,
    );

    await console.item('bootstrap').waitFor();

    expect(await console.page.getByRole('combobox', { name: 'Who' }).count()).toBe(1);
  });

  test('tells a token without `tokens:read` what happened, and not who; and one that may only read brings nothing back', async () => {
    const service = await startService();
    await service.create(FERNS[0]);
    await service.send('DELETE', '/plants/1');
    const console = await ConsolePage.open({ scopes: ['plants:read'], at: '#/activity' }, service);

    await console.item('Someone').waitFor();

    expect(await console.page.getByRole('combobox', { name: 'Who' }).count()).toBe(0);
    expect(await console.page.getByRole('button', { name: /^Restore/ }).count()).toBe(0);
  });

  test('shows the exact time where the focus or the pointer is', async () => {
    const console = await ConsolePage.open({ plants: FERNS.slice(0, 1), at: '#/activity' });
    const exact = console.item('Fern 1').locator('time > :last-child');
    await console.item('Fern 1').waitFor();
    await console.page.mouse.move(0, 0);
    expect(await exact.isVisible()).toBe(false);

    await console.control('link', '1').focus();
    expect(await exact.isVisible()).toBe(true);
    await console.control('link', '1').blur();
    expect(await exact.isVisible()).toBe(false);
    await console.item('Fern 1').hover();

    expect(await exact.innerText()).toMatch(/\d{4}/);
  });

  test('ends with the token, and goes on with the next one', async () => {
    const service = await startService();
    await service.create(FERNS[0]);
    const { id, secret } = await issue(service, ['plants:read']);
    const console = await ConsolePage.open({ token: secret, at: '#/activity' }, service);
    await console.item('Fern 1').waitFor();

    await service.send('DELETE', `/tokens/${id}`);
    await console.shows('alert', 'The access token is not valid');
    await console.shows('status', 'Disconnected: 1 change');
    await console.press('button', 'Try again');
    await console.signIn();
    await service.create(FERNS[1]);

    await console.shows('status', 'Latest 2 changes');
    await openGroups(console);
    await console.item('Fern 2').waitFor();
    expect(await console.page.getByRole('alert').count()).toBe(0);
  });

  test('goes on when the service is back', async () => {
    const console = await ConsolePage.open({ plants: FERNS, at: '#/activity' });
    await console.shows('status', 'Latest 3 changes');
    await console.shows('status', /^Live$/);

    await console.context.setOffline(true);
    await look(console, false);
    await console.shows('alert', 'Cannot reach the service.');
    await console.press('link', 'Plants');
    await console.shows('status', /^Offline$/);
    await console.service.create({ id: 4, name: 'Aloe' });
    await console.context.setOffline(false);
    await console.press('link', 'Activity');

    await console.shows('status', 'Latest 4 changes');
    await openGroups(console);
    await console.item('Aloe').waitFor();
    await console.shows('status', /^Live$/);
  });

  test('needs the scope plants:read', async () => {
    const console = await ConsolePage.open({ scopes: ['metrics:read'], at: '#/activity' });

    await console.shows('alert', 'lacks the scope plants:read');
  });
});

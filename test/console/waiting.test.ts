import type { Route } from 'playwright-core';
import { expect, test } from 'vitest';
import { startService, TOKEN } from '../support/service.js';
import { issue } from '../support/tokens.js';
import { ConsolePage, describeConsole, HANDS, type Hand } from './console-page.js';

const BUSY = {
  status: 503,
  headers: { 'Retry-After': '1' },
  json: { error: 50300, message: 'The service is busy.' },
};

/** Opens a form and types a plant. */
async function typePlant(console: ConsolePage): Promise<void> {
  await console.press('button', 'Add plant');
  await console.fill('Id', '1');
  await console.fill('Name', 'Fern');
}

async function isSaved(console: ConsolePage): Promise<void> {
  await console.says('Fern is saved.');
  expect(await console.service.plants()).toEqual([{ id: 1n, name: 'Fern', tag: null }]);
}

/** Answers the first so many requests of a method in another way. */
async function disturb(
  { page }: ConsolePage,
  method: string,
  times: number,
  answer: (route: Route) => Promise<void>,
) {
  let left = times;
  await page.route(/\/plants/, async (route) => {
    if (route.request().method() !== method || left <= 0) return route.fallback();
    left -= 1;
    return answer(route);
  });
}

describeConsole('a form, while', () => {
  test.for(HANDS)('its token is revoked, stays; the next token saves: by %s', async (hand: Hand) => {
    const service = await startService();
    const { id, secret } = await issue(service, ['plants:read', 'plants:write']);
    const console = await ConsolePage.open({ hand, token: secret }, service);
    await typePlant(console);
    await service.send('DELETE', `/tokens/${id}`);

    await console.press('button', 'Save');
    await console.page.getByText('This access token is not valid').waitFor();
    await console.page.keyboard.press('Escape');
    await console.fill('Access token', TOKEN);
    await console.press('button', 'Sign in');

    await isSaved(console);
    await console.focuses('Add plant');
  });

  test('its token is revoked and the network fails meanwhile, still asks for a token', async () => {
    const service = await startService();
    for (const id of [1, 2, 3]) await service.create({ id, name: `plant ${id}` });
    const { id, secret } = await issue(service, ['plants:read', 'plants:write']);
    const console = await ConsolePage.open({ token: secret }, service);
    await console.press('checkbox', 'Select all on this page');
    await console.press('button', 'Delete …');
    await service.send('DELETE', `/tokens/${id}`);
    await disturb(console, 'GET', 1, async (route) => {
      await console.control('textbox', 'Access token').waitFor();
      await route.abort('connectionreset');
    });

    await console.press('button', 'Delete');
    await console.fill('Access token', TOKEN);
    await console.press('button', 'Sign in');

    await console.says('3 plants are deleted.');
  });

  test.for(HANDS)('the service is busy, waits and saves: by %s', async (hand) => {
    const console = await ConsolePage.open({ hand, expected: [/^503/] });
    await disturb(console, 'PUT', 2, async (route) => route.fulfill(BUSY));
    await typePlant(console);

    await console.press('button', 'Save');
    await console.dialog.getByRole('status').filter({ hasText: 'The service is busy.' }).waitFor();
    await console.press('button', 'Try now');

    await isSaved(console);
    expect(await console.page.getByText('tries again by itself').count()).toBe(0);
  });

  test('the network is away, waits and saves', async () => {
    const console = await ConsolePage.open();
    await typePlant(console);
    await console.context.setOffline(true);

    await console.press('button', 'Save');
    await console.dialog.getByRole('status').filter({ hasText: 'cannot be reached' }).waitFor();
    expect(await console.control('textbox', 'Name').inputValue()).toBe('Fern');
    await console.context.setOffline(false);

    await isSaved(console);
  });

  test('a save waits, can be left: it is not sent any more, and nothing typed is lost', async () => {
    const console = await ConsolePage.open({ expected: [/^503/] });
    await disturb(console, 'PUT', Infinity, async (route) => route.fulfill(BUSY));
    await typePlant(console);
    await console.press('button', 'Save');
    await console.dialog.getByRole('status').filter({ hasText: 'The service is busy.' }).waitFor();

    await console.page.keyboard.press('Escape');
    await console.closesDialog();
    await console.page.getByText('tries again by itself').waitFor({ state: 'detached' });
    await console.page.unroute(/\/plants/);
    await console.press('button', 'Add plant');

    expect(await console.service.plants()).toEqual([]);
    expect(await console.control('textbox', 'Name').inputValue()).toBe('Fern');
    await console.press('button', 'Save');
    await isSaved(console);
  });

  test.for(HANDS)('its token may not write, says so beside it: by %s', async (hand) => {
    const service = await startService();
    const { secret } = await issue(service, ['plants:read']);
    const console = await ConsolePage.open({ hand, token: secret }, service);
    await typePlant(console);

    await console.press('button', 'Save');
    await console.dialog.getByRole('alert').filter({ hasText: 'lacks the scope plants:write' }).waitFor();

    expect(await console.control('textbox', 'Name').inputValue()).toBe('Fern');
    if (hand === 'keyboard') expect(await console.isFocused('button', 'Save')).toBe(true);
  });

  test('an earlier save is slow, is not closed by its answer', async () => {
    const console = await ConsolePage.open();
    await console.service.create({ id: 2, name: 'Aloe' });
    await console.page.reload();
    await console.fill('Access token', TOKEN);
    await console.press('button', 'Sign in');
    const { promise: isAnswered, resolve: answer } = Promise.withResolvers<void>();
    await disturb(console, 'PUT', 1, async (route) => {
      await isAnswered;
      await route.continue().catch(() => undefined);
    });
    await typePlant(console);
    await console.press('button', 'Save');
    await console.page.keyboard.press('Escape');

    await console.press('button', 'Edit Aloe');
    await console.fill('Name', 'Aloe vera');
    answer();
    await console.press('button', 'Save');

    await console.says('Aloe vera is saved.');
  });
});

describeConsole('the list', () => {
  test('says that it is loading, that there is nothing, and that it may not be read', async () => {
    const service = await startService();
    const { secret } = await issue(service, ['plants:write']);
    const console = await ConsolePage.open({ token: secret }, service);
    await console.page.getByRole('alert').filter({ hasText: 'lacks the scope plants:read' }).waitFor();
    await console.control('button', 'Try again').waitFor();

    const other = await ConsolePage.open({ token: '' }, service);
    const { promise: isAnswered, resolve: answer } = Promise.withResolvers<void>();
    await disturb(other, 'GET', 1, async (route) => {
      await isAnswered;
      await route.continue();
    });
    await other.fill('Access token', TOKEN);
    await other.press('button', 'Sign in');
    await other.page.getByRole('status').filter({ hasText: 'Loading …' }).waitFor();
    await other.page.locator('.empty').filter({ hasText: 'Loading …' }).waitFor();
    answer();
    await other.page.getByText('There are no plants yet.').waitFor();
    await other.page.getByRole('status').filter({ hasText: '0 plants' }).waitFor();
  });
});

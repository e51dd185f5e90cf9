import { expect, test } from 'vitest';
import { startService } from '../support/service.js';
import { issue } from '../support/tokens.js';
import { BUSY, ConsolePage, describeConsole } from './console-page.js';

const PLANT = '**/plants/1';

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

describeConsole('a form, while', () => {
  test('its token is revoked, stays; the next token saves', async () => {
    const service = await startService();
    const { id, secret } = await issue(service, ['plants:read', 'plants:write']);
    const console = await ConsolePage.open({ hand: 'keyboard', token: secret }, service);
    await typePlant(console);
    await service.send('DELETE', `/tokens/${id}`);

    await console.press('button', 'Save');
    await console.reads('This access token is not valid');
    await console.page.keyboard.press('Escape');
    await console.signIn();

    await isSaved(console);
    await console.focuses('Add plant');
  });

  test('the service is busy, waits and saves', async () => {
    const console = await ConsolePage.open({ hand: 'keyboard', expected: [/^503/] });
    await console.disturb(PLANT, 'PUT', async (route) => route.fulfill(BUSY), 2);
    await typePlant(console);

    await console.press('button', 'Save');
    await console.shows('status', 'The service is busy.');
    await console.press('button', 'Try now');

    await isSaved(console);
    expect(await console.page.getByText('tries again by itself').count()).toBe(0);
  });

  test('the network is away, waits and saves', async () => {
    const console = await ConsolePage.open();
    await typePlant(console);
    await console.context.setOffline(true);

    await console.press('button', 'Save');
    await console.shows('status', 'cannot be reached');
    expect(await console.text('Name')).toBe('Fern');
    await console.context.setOffline(false);

    await isSaved(console);
  });

  test('a save waits, can be left: it is not sent any more, and nothing typed is lost', async () => {
    const console = await ConsolePage.open({ expected: [/^503/] });
    await console.disturb(PLANT, 'PUT', async (route) => route.fulfill(BUSY), Infinity);
    await typePlant(console);
    await console.press('button', 'Save');
    await console.shows('status', 'The service is busy.');

    await console.page.keyboard.press('Escape');
    await console.closesDialog();
    await console.page.getByText('tries again by itself').waitFor({ state: 'detached' });
    await console.page.unroute(PLANT);
    await console.press('button', 'Add plant');

    expect(await console.service.plants()).toEqual([]);
    expect(await console.text('Name')).toBe('Fern');
    await console.press('button', 'Save');
    await isSaved(console);
  });

  test('its token may not write, says so beside it', async () => {
    const console = await ConsolePage.open({ hand: 'keyboard', scopes: ['plants:read'] });
    await typePlant(console);

    await console.press('button', 'Save');
    await console.shows('alert', 'lacks the scope plants:write');

    expect(await console.text('Name')).toBe('Fern');
    await console.focuses('Save');
  });

  test('an earlier save is slow, is not closed by its answer', async () => {
    const console = await ConsolePage.open({ plants: [{ id: 2, name: 'Aloe' }] });
    const answer = await console.hold(PLANT, 'PUT');
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
  test('says that it may not be read', async () => {
    const console = await ConsolePage.open({ scopes: ['plants:write'] });

    await console.shows('alert', 'lacks the scope plants:read');
    await console.control('button', 'Try again').waitFor();
  });

  test('says that it is loading, and that there is nothing', async () => {
    const console = await ConsolePage.open({ token: '' });
    const answer = await console.hold('**/plants?*', 'GET');

    await console.signIn();
    await console.shows('status', 'Loading …');
    await console.page.locator('.empty').filter({ hasText: 'Loading …' }).waitFor();
    answer();

    await console.reads('There are no plants yet.');
    await console.shows('status', '0 plants');
  });
});

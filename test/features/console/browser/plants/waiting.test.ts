import { expect, test } from 'vitest';
import { startService } from '../../../../support/service.js';
import { issue } from '../../../../support/tokens.js';
import { BUSY, ConsolePage, describeConsole } from '../console-page.js';

const PLANT = '**/plants/1';

/** Opens a form and types a plant. */
async function typePlant(console: ConsolePage): Promise<void> {
  await console.press('button', 'Add plant');
  await console.fill('ID', '1');
  await console.fill('Name', 'Fern');
}

async function isSaved(console: ConsolePage): Promise<void> {
  await console.says('Saved “Fern”');
  expect(await console.service.plants()).toEqual([{ id: 1n, name: 'Fern', tag: null }]);
}

describeConsole('a form', () => {
  test('stays open when its token is revoked, and the next token saves it', async () => {
    const service = await startService();
    const { id, secret } = await issue(service, ['plants:read', 'plants:write']);
    const console = await ConsolePage.open({ hand: 'keyboard', token: secret }, service);
    // A read that is still on its way would ask for the next token before the form does.
    await console.shows('status', '0 plants');
    await console.control('link', 'Access').waitFor({ state: 'detached' });
    await typePlant(console);
    await service.send('DELETE', `/tokens/${id}`);

    await console.press('button', 'Save');
    await console.reads('Your access has ended.');
    await console.page.keyboard.press('Escape');
    await console.signIn();

    await isSaved(console);
    await console.focuses('Add plant');
  });

  test('waits while the service is busy, whatever else succeeds, and then saves', async () => {
    const console = await ConsolePage.open({ hand: 'keyboard', token: '', expected: [/^503/] });
    await console.disturb(PLANT, 'PUT', async (route) => route.fulfill(BUSY));
    // Before that: for long enough to press a button.
    const headers = { 'Retry-After': '60' };
    await console.disturb(PLANT, 'PUT', async (route) => route.fulfill({ ...BUSY, headers }));
    const list = await console.hold('**/plants?*', 'GET');
    await console.signIn();
    await typePlant(console);

    await console.press('button', 'Save');
    await console.shows('status', 'The service is busy.');
    list();
    await console.reads('0 plants');
    await console.press('button', 'Retry now');

    await isSaved(console);
    expect(await console.page.getByText('Retrying').count()).toBe(0);
  });

  test('waits while the network is away, and then saves', async () => {
    const console = await ConsolePage.open();
    await typePlant(console);
    await console.context.setOffline(true);

    await console.press('button', 'Save');
    await console.shows('status', 'Cannot reach');
    expect(await console.text('Name')).toBe('Fern');
    await console.context.setOffline(false);

    await isSaved(console);
  });

  test('can be left while a save waits: the save is not sent any more, and nothing typed is lost', async () => {
    const console = await ConsolePage.open({ expected: [/^503/] });
    await console.disturb(PLANT, 'PUT', async (route) => route.fulfill(BUSY), Infinity);
    await typePlant(console);
    await console.press('button', 'Save');
    await console.shows('status', 'The service is busy.');

    await console.page.keyboard.press('Escape');
    await console.closesDialog();
    await console.page.getByText('Retrying').waitFor({ state: 'detached' });
    await console.page.unroute(PLANT);
    await console.press('button', 'Undo');

    expect(await console.service.plants()).toEqual([]);
    expect(await console.text('Name')).toBe('Fern');
    await console.press('button', 'Save');
    await isSaved(console);
  });

  test('shows the reason in itself when a save is refused', async () => {
    const console = await ConsolePage.open({ hand: 'keyboard' });
    const json = { error: 40300, message: 'The access token lacks the scope plants:write.' };
    await console.disturb(PLANT, 'PUT', async (route) => route.fulfill({ status: 403, json }));
    await typePlant(console);

    await console.press('button', 'Save');
    await console.shows('alert', 'lacks the scope plants:write');

    expect(await console.text('Name')).toBe('Fern');
    await console.focuses('Save');
  });

  test('shows at once that it waits for a slow service, and an early Enter saves as soon as the plant is read', async () => {
    const console = await ConsolePage.open({ hand: 'keyboard', plants: [{ id: 1, name: 'Aloe' }] });
    const read = await console.hold(PLANT, 'GET');
    const save = await console.hold(PLANT, 'PATCH');

    await console.press('button', 'Edit Aloe');
    await console.fill('Name', 'Fern');
    await console.page.keyboard.press('Enter');
    const busy = console.control('button', 'Save').and(console.page.locator('.busy[aria-disabled=true]'));
    await busy.waitFor();
    read();
    await busy.waitFor();
    save();

    await isSaved(console);
  });

  test('is not closed by the response to an earlier, slow save', async () => {
    const console = await ConsolePage.open({ plants: [{ id: 2, name: 'Aloe' }] });
    const answer = await console.hold(PLANT, 'PUT');
    await typePlant(console);
    await console.press('button', 'Save');
    await console.page.keyboard.press('Escape');

    await console.press('button', 'Edit Aloe');
    await console.fill('Name', 'Aloe vera');
    answer();
    await console.press('button', 'Save');

    await console.says('Saved “Aloe vera”');
  });
});

describeConsole('a token that may only read', () => {
  test('is offered nothing that it may not do, and opens a plant to read it', async () => {
    const service = await startService();
    await service.create({ id: 1, name: 'Fern', tag: 'green' });
    const console = await ConsolePage.open({ scopes: ['plants:read'] }, service);

    await console.reads('Read-only access');
    expect(await console.page.locator('main').getByRole('checkbox').count()).toBe(0);
    for (const name of [/^Add/, /^Edit/, /^Delete/])
      expect(await console.control('button', name).count(), String(name)).toBe(0);
    await console.press('button', 'Open Fern');
    expect(await console.text('Name')).toBe('Fern');
    expect(await console.control('textbox', 'Name').isEditable()).toBe(false);
    expect(await console.control('button', 'Save').count()).toBe(0);
    await console.page.keyboard.press('Escape');

    await console.press('link', 'Import and export');
    await console.reads('Read-only access');
  });
});

describeConsole('the list', () => {
  test('says so when the token may not read it', async () => {
    const console = await ConsolePage.open({ scopes: ['plants:write'] });

    await console.shows('alert', 'lacks the scope plants:read');
    await console.control('button', 'Try again').waitFor();
  });

  test('says that it is loading, and when it is empty', async () => {
    const console = await ConsolePage.open({ token: '' });
    const answer = await console.hold('**/plants?*', 'GET');

    await console.signIn();
    await console.shows('status', 'Loading …');
    await console.page.locator('.empty').filter({ hasText: 'Loading …' }).waitFor();
    answer();

    await console.reads('No plants yet');
    await console.shows('status', '0 plants');
  });
});

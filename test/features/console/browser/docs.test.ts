import { expect, test } from 'vitest';
import { startService, TOKEN } from '../../../support/service.js';
import { ConsolePage, describeConsole } from './console-page.js';

const LARGE = '9007199254740993';

describeConsole('the reference page', () => {
  test('authorizes, creates a plant and reads it with every digit of its id', async () => {
    const { page } = await ConsolePage.open(
      { token: '', at: '../docs#/plants/createPlant' },
      await startService(),
    );
    await page.getByRole('button', { name: 'Authorize' }).click();
    await page.locator('.auth-container input').fill(TOKEN);
    await page.locator('.auth-container button.authorize').click();
    await page.locator('.btn-done').click();
    const operations = page.locator('.opblock');
    expect(await operations.first().getAttribute('id')).toBe('operations-plants-createPlant');

    const create = page.locator('#operations-plants-createPlant');
    await create.getByRole('button', { name: 'Try it out' }).click();
    await create.locator('textarea').fill(`{"id":${LARGE},"name":"Aloe"}`);
    await create.getByRole('button', { name: 'Execute' }).click();
    await create.locator('.live-responses-table').getByText('"Aloe"').waitFor();

    await page.reload();
    const read = page.locator('#operations-plants-getPlant');
    await read.locator('.opblock-summary-control').click();
    await read.getByRole('button', { name: 'Try it out' }).click();
    await read.locator('input[placeholder=id]').fill(LARGE);
    await read.getByRole('button', { name: 'Execute' }).click();
    const body = read.locator('.live-responses-table .highlight-code pre').first();
    await body.getByText('"Aloe"').waitFor();

    expect(await body.textContent()).toBe(`{\n  "id": ${LARGE},\n  "name": "Aloe"\n}`);
  });
});

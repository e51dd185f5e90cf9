import { expect, test } from 'vitest';
import { createMany } from '../support/plants.js';
import { startService } from '../support/service.js';
import { ConsolePage, describeConsole } from './console-page.js';

const PLANTS = [
  { id: 1, name: 'Aloe vera', tag: 'succulent' },
  { id: 2, name: 'Aloe aristata', tag: 'green' },
  { id: 3, name: 'Fern & Co = 50 % + #1?', tag: 'green' },
];

/** Waits until the list has exactly the plants whose names begin so. */
async function lists(console: ConsolePage, ...names: readonly string[]): Promise<void> {
  for (const name of names) await console.row(name).waitFor();
  await console.page.locator(`tbody:has(tr:nth-child(${names.length}):last-child)`).waitFor();
}

describeConsole('a list of many pages', () => {
  test('is turned forth and back, also after a reload and with the back button', async () => {
    const service = await startService();
    await createMany(service, 120);
    const console = await ConsolePage.open({ hand: 'keyboard' }, service);
    const shows = async (first: number, last: number) => {
      await console.page.locator(`tbody tr:first-child:has-text("plant ${first}")`).waitFor();
      expect(await console.page.locator('tbody tr:last-child .number').textContent()).toBe(`${last}`);
      await console.shows('status', `${last - first + 1} plants`);
    };

    await shows(1, 50);
    await console.press('button', 'Next');
    await shows(51, 100);
    await console.press('button', 'Next');
    await shows(101, 120);
    expect(await console.control('button', 'Next').getAttribute('aria-disabled')).toBe('true');
    await console.focuses('Next');

    await console.page.goBack();
    await shows(51, 100);
    await console.page.goForward();
    await shows(101, 120);
    await console.press('button', 'Previous');
    await shows(51, 100);
    await console.page.reload();
    await console.signIn();
    await shows(51, 100);
    await console.press('button', 'First');
    await shows(1, 50);
  });
});

describeConsole('the filter', () => {
  test('follows as one types, and the address keeps it', async () => {
    const console = await ConsolePage.open({ hand: 'keyboard', plants: PLANTS });

    await console.fill('Name begins with', 'Aloe', 'searchbox');
    await lists(console, 'Aloe vera', 'Aloe aristata');
    await console.fill('Tag', 'green', 'searchbox');
    await lists(console, 'Aloe aristata');
    expect(new URL(console.page.url()).hash).toBe('#/plants?name=Aloe&tag=green');

    await console.page.goBack();
    await lists(console, 'Aloe vera', 'Aloe aristata');
    expect(await console.text('Tag', 'searchbox')).toBe('');
    await console.page.goBack();
    await lists(console, 'Aloe vera', 'Aloe aristata', 'Fern');

    await console.fill('Name begins with', 'x', 'searchbox');
    await console.reads('No plant matches.');
    await console.press('button', 'Clear the filter');
    await lists(console, 'Aloe vera', 'Aloe aristata', 'Fern');
    expect(await console.text('Name begins with', 'searchbox')).toBe('');
    await console.focuses('Plants');
  });

  test('is the same where its address is opened, whatever its characters', async () => {
    const console = await ConsolePage.open({ plants: PLANTS });
    const name = 'Fern & Co = 50 % + #1?';
    await console.fill('Name begins with', name, 'searchbox');
    await lists(console, name);

    const other = await ConsolePage.open({ at: new URL(console.page.url()).hash }, console.service);

    await lists(other, name);
    expect(await other.text('Name begins with', 'searchbox')).toBe(name);
  });

  test('shows the answer to the last key, and is one step of the history for each burst of keys', async () => {
    const console = await ConsolePage.open({ plants: PLANTS });
    const field = console.control('searchbox', 'Name begins with');
    await console.row('Fern').waitFor();
    const answer = await console.hold('**/plants?*', 'GET');

    await field.pressSequentially('F');
    await console.page.waitForURL(/name=F$/);
    await field.fill('Aloe v');
    await lists(console, 'Aloe vera');
    answer();
    await field.press('Enter');
    await field.fill('F');
    await lists(console, 'Fern');
    await console.page.goBack();

    await lists(console, 'Aloe vera');
    expect(await field.inputValue()).toBe('Aloe v');
  });

  test('that is too long is refused in words, and can be cleared', async () => {
    const console = await ConsolePage.open({ plants: PLANTS });

    await console.fill('Name begins with', 'n'.repeat(65), 'searchbox');
    await console.shows('alert', 'name');
    await console.fill('Name begins with', '', 'searchbox');

    await console.page.getByRole('alert').waitFor({ state: 'detached' });
    await console.row('Fern').waitFor();
  });
});

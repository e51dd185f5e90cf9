import { expect, test } from 'vitest';
import { createMany } from '../support/plants.js';
import { startService, TOKEN } from '../support/service.js';
import { ConsolePage, describeConsole, HANDS, type Hand } from './console-page.js';

const PLANTS = [
  { id: 1, name: 'Aloe vera', tag: 'succulent' },
  { id: 2, name: 'Aloe aristata', tag: 'green' },
  { id: 3, name: 'Fern & Co = 50 % + #1?', tag: 'green' },
];

async function open(hand: Hand, at = '') {
  const service = await startService();
  for (const plant of PLANTS) await service.create(plant);
  return ConsolePage.open({ hand, at }, service);
}

describeConsole('a list of many pages', () => {
  test.for(HANDS)(
    'is turned forth and back, also after a reload and with the back button: by %s',
    async (hand) => {
      const service = await startService();
      await createMany(service, 120);
      const console = await ConsolePage.open({ hand }, service);
      const shows = async (first: number, last: number) => {
        await console.page.locator(`tbody tr:first-child:has-text("plant ${first}")`).waitFor();
        expect(await console.page.locator('tbody tr:last-child .number').textContent()).toBe(`${last}`);
        expect(await console.page.getByRole('status').filter({ hasText: 'plants' }).textContent()).toBe(
          `${last - first + 1} plants`,
        );
      };

      await shows(1, 50);
      await console.press('button', 'Next');
      await shows(51, 100);
      await console.press('button', 'Next');
      await shows(101, 120);
      expect(await console.control('button', 'Next').getAttribute('aria-disabled')).toBe('true');
      if (hand === 'keyboard') expect(await console.isFocused('button', 'Next')).toBe(true);

      await console.page.goBack();
      await shows(51, 100);
      await console.page.goForward();
      await shows(101, 120);
      await console.press('button', 'Previous');
      await shows(51, 100);
      await console.page.reload();
      await console.fill('Access token', TOKEN);
      await console.press('button', 'Sign in');
      await shows(51, 100);
      await console.press('button', 'Previous');
      await shows(1, 50);
      await console.press('button', 'Next');
      await shows(51, 100);
      await console.press('button', 'First');
      await shows(1, 50);
    },
  );
});

describeConsole('the filter', () => {
  test.for(HANDS)('follows as one types, and the address keeps it: by %s', async (hand) => {
    const console = await open(hand);
    const names = async (...expected: string[]) => {
      for (const name of expected) await console.row(name).waitFor();
      await console.page.locator(`tbody:has(tr:nth-child(${expected.length}):last-child)`).waitFor();
    };

    await console.fill('Name begins with', 'Aloe', 'searchbox');
    await names('Aloe vera', 'Aloe aristata');
    await console.fill('Tag', 'green', 'searchbox');
    await names('Aloe aristata');
    expect(new URL(console.page.url()).hash).toBe('#/plants?name=Aloe&tag=green');

    await console.page.goBack();
    await names('Aloe vera', 'Aloe aristata');
    expect(await console.control('searchbox', 'Tag').inputValue()).toBe('');
    await console.page.goBack();
    await names('Aloe vera', 'Aloe aristata', 'Fern');

    await console.fill('Name begins with', 'x', 'searchbox');
    await console.page.getByText('No plant matches.').waitFor();
    await console.press('button', 'Clear the filter');
    await names('Aloe vera', 'Aloe aristata', 'Fern');
    expect(await console.control('searchbox', 'Name begins with').inputValue()).toBe('');
    await console.focuses('Plants');
  });

  test('is the same where its address is opened, whatever its characters', async () => {
    const console = await open('mouse');
    const name = 'Fern & Co = 50 % + #1?';
    await console.fill('Name begins with', name, 'searchbox');
    await console.page.locator('tbody tr:only-child').waitFor();

    const other = await ConsolePage.open({ at: new URL(console.page.url()).hash }, console.service);

    await other.page.locator('tbody tr:only-child').waitFor();
    expect(await other.control('searchbox', 'Name begins with').inputValue()).toBe(name);
  });

  test('is one step of the history for each burst of keys, and loses none of them', async () => {
    const console = await open('mouse');
    const field = console.control('searchbox', 'Name begins with');
    await console.row('Fern').waitFor();
    let isSlow = true;
    // The first answers come after the later ones.
    await console.page.route('**/plants?*', async (route) => {
      const response = await route.fetch();
      if (isSlow) await console.page.waitForResponse(/Aloe\+v/);
      await route.fulfill({ response }).catch(() => undefined);
    });

    await field.pressSequentially('Al');
    await console.page.waitForURL(/name=Al$/);
    await field.pressSequentially('oe');
    await console.page.waitForURL(/name=Aloe$/);
    isSlow = false;
    await field.pressSequentially(' v', { delay: 60 });
    await console.page.locator('tbody tr:only-child').waitFor();
    await console.row('Aloe vera').waitFor();
    expect(await field.inputValue()).toBe('Aloe v');
    await field.press('Enter');

    await field.fill('F');
    await field.press('Enter');
    await console.row('Fern').waitFor();
    await console.page.goBack();
    await console.row('Aloe vera').waitFor();
    expect(await field.inputValue()).toBe('Aloe v');
    await console.page.goBack();
    await console.row('Fern').waitFor();
    expect(await field.inputValue()).toBe('');
  });

  test('that is too long is refused in words, and can be cleared', async () => {
    const console = await open('mouse');

    await console.fill('Name begins with', 'n'.repeat(65), 'searchbox');
    await console.page.getByRole('alert').filter({ hasText: 'name' }).waitFor();
    await console.fill('Name begins with', '', 'searchbox');

    await console.page.getByRole('alert').waitFor({ state: 'detached' });
    await console.row('Fern').waitFor();
  });
});

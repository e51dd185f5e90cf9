import { expect, test } from 'vitest';
import { ConsolePage, describeConsole } from './console-page.js';

const PLANTS = [
  { id: 1, name: 'Aloe vera' },
  { id: 9_007_199_254_740_991, name: 'Fern' },
];

/** What has a ring, from the focus to the top. */
function ringsOfFocus(): string[] {
  const rings: string[] = [];
  for (let at = document.activeElement; at; at = at.parentElement)
    if (getComputedStyle(at).outlineStyle !== 'none') rings.push(at.ariaLabel ?? at.className);
  return rings;
}

describeConsole('a key', () => {
  test('searches, adds a plant and tells the keys, from any view but not while one types', async () => {
    const console = await ConsolePage.open({ plants: PLANTS });
    const { page } = console;

    await page.goto(new URL('#/overview', page.url()).href);
    await page.keyboard.press('/');
    // One ring, around the field.
    await expect.poll(async () => page.evaluate(ringsOfFocus)).toEqual(['Search']);
    const search = page.getByRole('searchbox', { name: 'Search' });
    await search.and(page.locator(':focus')).waitFor();
    await page.keyboard.type('n/?');
    expect(await search.inputValue()).toBe('n/?');

    await search.blur();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    await page.keyboard.press('Escape');
    await console.closesDialog();
    await page.keyboard.press('n');
    await page.getByRole('dialog', { name: 'Add a plant' }).waitFor();
  });

  test('does nothing by itself where that is switched off, also after a reload', async () => {
    const console = await ConsolePage.open({ plants: PLANTS });
    const { page } = console;
    await console.row('Fern').waitFor();
    await page.keyboard.press('?');
    await console.press('checkbox', /single-key/);
    await page.keyboard.press('Escape');

    await page.reload();
    await console.row('Fern').waitFor();
    await page.keyboard.press('n');
    await console.control('button', 'Edit Fern').focus();
    for (const key of ['x', 'e']) await page.keyboard.press(key);
    expect(await console.row('Fern').getByRole('checkbox').isChecked()).toBe(false);
    await page.keyboard.press('Control+k');

    await page.getByRole('dialog', { name: 'Go to' }).waitFor();
    expect(await page.getByRole('dialog').count()).toBe(1);
  });

  test('moves between rows, selects and opens them, and Enter leads there from the search', async () => {
    const console = await ConsolePage.open({ plants: PLANTS });
    const { page } = console;
    await console.row('Fern').waitFor();

    await page.keyboard.press('/');
    await page.keyboard.press('Enter');
    await console.focuses('Edit Aloe vera');
    await page.keyboard.press('ArrowDown');
    await console.focuses('Edit Fern');
    // One stop of the Tab key for each row; the arrow keys lead to its other controls.
    await page.keyboard.press('ArrowRight');
    await console.focuses('Delete Fern');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('x');
    await console.shows('status', '1 selected');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('e');

    await page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).waitFor();
    expect(await console.text('Name')).toBe('Aloe vera');
  });

  test('leads to any view, id or words, to a plant and to what can be done', async () => {
    const { page } = await ConsolePage.open({ plants: PLANTS });
    const goTo = async (text: string, ...keys: readonly string[]) => {
      await page.locator('body:not(:has(dialog))').press('Control+k');
      await page.getByRole('textbox', { name: 'Page, name, tag or ID' }).fill(text);
      for (const key of keys) await page.keyboard.press(key);
    };

    await goTo('over', 'Enter');
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await goTo('9007199254740991', 'Enter');
    await page.locator('tbody tr:only-child', { hasText: 'Fern' }).waitFor();
    await goTo('to', 'ArrowDown', 'ArrowDown', 'Enter');
    await page.getByText('in the name or tag').waitFor();

    expect(new URL(page.url()).hash).toBe('#/plants?search=to');

    await goTo('fern');
    await page.getByRole('dialog').getByRole('link', { name: '9007199254740991 Fern' }).click();
    await page.getByRole('dialog', { name: 'Edit plant' }).waitFor();
    await page.keyboard.press('Escape');
    await goTo('give', 'Enter');
    await page.getByRole('dialog', { name: 'Give access' }).waitFor();
    await page.goBack();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });
});

describeConsole('the page', () => {
  test('has the places of a phone in a row, and the others behind “More”', async () => {
    const viewport = { width: 390, height: 844 };
    const console = await ConsolePage.open({ hand: 'keyboard', plants: PLANTS, context: { viewport } });

    expect((await console.page.locator('nav.links').innerText()).split(/\n+/)).toEqual([
      'Plants',
      'Tags',
      'Activity',
      'Import and export',
      'More',
    ]);
    await console.press('button', 'More');
    await console.press('link', 'Overview');

    await console.page.getByRole('heading', { name: 'Overview' }).waitFor();
  });

  test('is light or dark as the user wants, also after a reload', async () => {
    const console = await ConsolePage.open({ context: { colorScheme: 'light' } });
    const { page } = console;
    const ground = async () =>
      page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
    const light = await ground();

    await console.press('button', 'Theme: system');
    await console.press('button', 'Theme: light');
    await page.getByRole('button', { name: 'Theme: dark' }).waitFor();
    const dark = await ground();
    await page.reload();

    expect(dark).not.toBe(light);
    expect(await ground()).toBe(dark);
  });
});

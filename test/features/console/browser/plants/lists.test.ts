import { expect, test } from 'vitest';
import { createMany } from '../../../../support/plants.js';
import { startService } from '../../../../support/service.js';
import { issue } from '../../../../support/tokens.js';
import { ConsolePage, describeConsole } from '../console-page.js';

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
  test('is turned forth and back, also after a reload and with the back button; the browser keeps its length', async () => {
    const service = await startService();
    await createMany(service, 120);
    const console = await ConsolePage.open({ hand: 'keyboard' }, service);
    const shows = async (first: number, last: number) => {
      await console.page.locator(`tbody tr:first-child:has-text("plant ${first}")`).waitFor();
      await console.page.locator(`tbody tr:last-child:has-text("plant ${last}")`).waitFor();
      await console.shows('status', `${first}–${last} of 120 plants`);
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
    await shows(51, 100);
    await console.press('button', 'First');
    await shows(1, 50);
    await console.page.getByLabel('Rows per page').selectOption('25');
    await shows(1, 25);
    await console.page.reload();
    await shows(1, 25);
  });
});

describeConsole('a table', () => {
  test('keeps its columns and rows of 32 px, whatever is in it, and its head in sight', async () => {
    const service = await startService();
    await createMany(service, 60);
    await service.create({ id: -9_007_199_254_740_991, name: 'W'.repeat(1_000), tag: 'word '.repeat(12) });
    await service.create({ id: 9_007_199_254_740_991, name: 'last' });
    const { page } = await ConsolePage.open({ context: { viewport: { width: 768, height: 600 } } }, service);
    const widths = () =>
      page
        .locator('thead th')
        .evaluateAll((cells) => cells.map((cell) => cell.getBoundingClientRect().width));
    await page.locator('tbody tr').nth(49).waitFor();
    const before = await widths();

    const heights = await page
      .locator('tbody tr')
      .evaluateAll((rows) => rows.map((row) => row.getBoundingClientRect().height));
    await page.locator('tbody tr').nth(49).scrollIntoViewIfNeeded();
    expect(Math.max(...heights)).toBe(32);
    expect(await page.locator('thead').isVisible()).toBe(true);
    await page.getByRole('button', { name: 'Next' }).first().click();
    await page.locator('tbody tr:first-child:has-text("plant 50")').waitFor();

    expect(await widths()).toEqual(before);
    await page.waitForFunction(() => scrollY === 0);
  });

  test('is sorted by its headers, opened by a click on a row, and filtered by a click on a tag', async () => {
    const console = await ConsolePage.open({ plants: PLANTS });
    // The rows before stay until the new ones are there.
    const first = async () => (await console.page.locator('tbody th').allTextContents())[0];
    const isSorted = (order: string) =>
      console.page.locator(`[aria-sort=${order}]`, { hasText: 'Name' }).waitFor();

    await console.press('button', 'Name');
    await isSorted('ascending');
    await expect.poll(first).toBe('Aloe aristata');
    await console.press('button', 'Name');
    await isSorted('descending');
    await expect.poll(first).toMatch('Fern');
    expect(new URL(console.page.url()).hash).toBe('#/plants?sort=-name');

    await console.row('Aloe vera').locator('td').nth(1).click();
    await console.isLoaded();
    expect(await console.text('Name')).toBe('Aloe vera');
    await console.page.keyboard.press('Escape');

    await console.row('Fern').getByRole('link', { name: 'Show plants tagged' }).click();
    await lists(console, 'Aloe aristata', 'Fern');
    expect(await console.text('Tag', 'searchbox')).toBe('green');
    await console.shows('status', /with the tag “.green.”/u);
  });
});

describeConsole('a table on a wide screen', () => {
  test('uses it, begins every text at the left of its column, and shows a line break as a sign', async () => {
    const plants = [
      { id: 1, name: 'Aloe' },
      { id: 2, name: 'שלום' },
      { id: 3, name: 'one\r\ntwo', tag: 'a\nb' },
    ];
    const { page } = await ConsolePage.open({ plants, context: { viewport: { width: 1_920, height: 900 } } });
    await page.locator('tbody tr').nth(2).waitFor();

    const { width, lefts, heights, boxes } = await page.evaluate(() => {
      const texts = [...document.querySelectorAll('tbody th bdi')].map((text) => {
        const range = document.createRange();
        range.selectNodeContents(text);
        return Math.round(range.getBoundingClientRect().left);
      });
      const rows = [...document.querySelectorAll('tbody tr')];
      return {
        width: document.querySelector('table')?.clientWidth ?? 0,
        lefts: new Set(texts).size,
        heights: rows.map(({ clientHeight }) => clientHeight),
        boxes: rows.map((row) => {
          const [box, name] = [...row.querySelectorAll('input, th bdi')].map((each) =>
            each.getBoundingClientRect(),
          );
          return Math.abs((box?.y ?? 0) + (box?.height ?? 0) / 2 - (name?.y ?? 99) - (name?.height ?? 0) / 2);
        }),
      };
    });

    expect(width).toBeGreaterThan(1_600);
    expect(lefts).toBe(1);
    expect(heights).toEqual([32, 32, 32]);
    expect(Math.max(...boxes)).toBeLessThanOrEqual(1.5);
    expect(await page.locator('tbody tr').nth(2).innerText()).toMatch(/one↵two\s+a↵b/);
  });

  test('opens a plant at the side, with what was done to it, the latest first', async () => {
    const console = await ConsolePage.open({ plants: PLANTS });
    const { service, dialog } = console;
    const { headers } = await issue(service, ['plants:read', 'plants:write']);
    await service.send('PATCH', '/plants/1', { body: { name: 'Aloe vera, large' } });
    await service.send('PATCH', '/plants/1', { headers, body: { tag: 'sale' } });
    await service.send('PATCH', '/plants/1', { body: { tag: 'sold' } });
    await console.press('button', 'Edit Aloe vera');
    await dialog.getByText('History', { exact: true }).click();
    await dialog.getByRole('listitem').nth(3).waitFor();

    const changes = await dialog.getByRole('listitem').allInnerTexts();
    const starts = [/^You changed/, /^test changed/, /^You changed/, /^You created/];
    expect(changes).toEqual(starts.map((start) => expect.stringMatching(start) as unknown));
    const { x = 0, width = 0, height } = (await dialog.boundingBox()) ?? {};
    expect([x + width, height]).toEqual([1_280, 720]);
  });
});

describeConsole('a phone', () => {
  test('has the first plant within 200 px and one field, opens it by a tap, and has a bar of actions below', async () => {
    const context = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
    const console = await ConsolePage.open({ plants: PLANTS, context });
    const { page } = console;
    const first = page.locator('tbody tr').first();
    await first.waitFor();
    await page.getByText('Live').waitFor({ state: 'attached' });
    expect((await first.boundingBox())?.y).toBeLessThan(200);
    expect(await page.locator('main input[type=search]:visible').count()).toBe(1);

    await first.tap({ position: { x: 200, y: 40 } });
    await console.isLoaded();
    await page.keyboard.press('Escape');
    await console.closesDialog();

    const top = (await first.boundingBox())?.y;
    await page.getByRole('checkbox', { name: 'Select Aloe vera' }).tap();
    const { y = 0, height = 0 } =
      (await page.getByRole('group', { name: 'Selected plants' }).boundingBox()) ?? {};
    expect(y + height).toBeGreaterThan(780);
    expect((await first.boundingBox())?.y).toBe(top);
    await page.getByRole('button', { name: 'Tag …' }).tap();
    await page.getByRole('dialog', { name: 'Tag 1 plant' }).waitFor();
  });
});

describeConsole('the search', () => {
  test('finds a plant by its id, and words in any place', async () => {
    const console = await ConsolePage.open({ hand: 'keyboard', plants: PLANTS });

    await console.fill('Search', 'ARIST gre', 'searchbox');
    await lists(console, 'Aloe aristata');
    await console.shows('status', /1 plant with “.ARIST gre.” in the name or tag/u);
    await console.fill('Search', 'a', 'searchbox');
    await lists(console, 'Aloe vera', 'Aloe aristata');
    await console.fill('Search', 'Fern & Co = 50 % + #1?', 'searchbox');
    await lists(console, 'Fern');
    await console.page.reload();
    await lists(console, 'Fern');
    await console.fill('Search', '3', 'searchbox');
    await lists(console, 'Fern');
    await console.fill('Search', '−9223372036854775808 ', 'searchbox');
    await console.reads('No plants with ID -9223372036854775808');
    await console.fill('Search', '9223372036854775808', 'searchbox');
    await console.reads(/“.9223372036854775808.” in the name or tag/u);
  });

  test('reads on until a page is full', async () => {
    const console = await ConsolePage.open({ plants: PLANTS });
    await console.disturb('**/plants?search=fern*', 'GET', async (route) =>
      route.fulfill({ json: [], headers: { Link: '<?search=fern&after=2>; rel="next"' } }),
    );

    await console.fill('Search', 'fern', 'searchbox');

    await lists(console, 'Fern');
  });

  test('follows as one types, and the address keeps it', async () => {
    const console = await ConsolePage.open({ hand: 'keyboard', plants: PLANTS });

    await console.fill('Search', 'Aloe', 'searchbox');
    await lists(console, 'Aloe vera', 'Aloe aristata');
    await console.fill('Tag', 'green', 'searchbox');
    await lists(console, 'Aloe aristata');
    expect(new URL(console.page.url()).hash).toBe('#/plants?search=Aloe&tag=green');

    await console.page.goBack();
    await lists(console, 'Aloe vera', 'Aloe aristata');
    expect(await console.text('Tag', 'searchbox')).toBe('');
    await console.page.goBack();
    await lists(console, 'Aloe vera', 'Aloe aristata', 'Fern');

    await console.fill('Search', 'x', 'searchbox');
    await console.reads(/“.x.” in the name or tag/u);
    await console.press('button', 'Show all plants');
    await lists(console, 'Aloe vera', 'Aloe aristata', 'Fern');
    expect(await console.text('Search', 'searchbox')).toBe('');
    await console.focuses('Plants');
  });

  test('shows the answer to the last key, and is one step of the history for each burst of keys', async () => {
    const console = await ConsolePage.open({ plants: PLANTS });
    const field = console.control('searchbox', 'Search');
    await console.row('Fern').waitFor();
    const answer = await console.hold('**/plants?search=F&*', 'GET');

    await field.pressSequentially('F');
    await console.page.waitForURL(/search=F$/);
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

    await console.fill('Search', 'n'.repeat(65), 'searchbox');
    await console.shows('alert', 'search');
    await console.fill('Search', '', 'searchbox');

    await console.page.getByRole('alert').waitFor({ state: 'detached' });
    await console.row('Fern').waitFor();
  });
});

import { expect, test } from 'vitest';
import { ConsolePage, describeConsole } from '../console-page.js';

const LONG = 'W'.repeat(16_384);

/** Texts that a form or a page easily changes. */
const TEXTS = [
  ' leading and trailing ',
  '\u0001\u0007\u001b\u007f\u0085',
  'a\r\nb\rc\nd\te',
  '<img src=x onerror=alert(1)>',
  'שלום \u202Eolleh\u202C',
  '\u{10FFFF}\uFFFF\uFEFF',
  LONG,
  '',
];

describeConsole('editing plants', () => {
  test('changes what was typed and nothing else, whatever the texts', async () => {
    const plants = TEXTS.map((name, id) => ({ id, name, tag: name }));
    const console = await ConsolePage.open({ plants });
    expect((await console.row('WWW').textContent())?.length).toBeLessThan(1_000);

    for (const id of TEXTS.keys()) {
      await console.use('button', console.page.getByRole('button', { name: /^Edit/ }).nth(id));
      await console.fill(id % 2 === 0 ? 'Tag' : 'Name', 'typed');
      await console.press('button', 'Save');
      await console.closesDialog();
    }

    expect(await console.service.plants()).toEqual(
      TEXTS.map((text, id) => ({
        id: BigInt(id),
        ...(id % 2 === 0 ? { name: text, tag: 'typed' } : { name: 'typed', tag: text }),
      })),
    );
  });

  test('removes a tag that is emptied, keeps one that is empty, and writes texts exactly', async () => {
    const plants = [
      { id: 1, name: 'Aloe', tag: 'green' },
      { id: 2, name: 'Fern', tag: '' },
    ];
    const console = await ConsolePage.open({ hand: 'keyboard', plants });
    const typed = TEXTS.filter((_, index) => ![1, 2, 6].includes(index)).join('\n');

    await console.press('button', 'Edit Aloe');
    await console.fill('Tag', '');
    await console.press('button', 'Save');
    await console.says('Saved “Aloe”');
    await console.press('button', 'Edit Fern');
    await console.fill('Name', typed);
    await console.press('button', 'Save');
    await console.closesDialog();

    expect(await console.service.plants()).toEqual([
      { id: 1n, name: 'Aloe', tag: null },
      { id: 2n, name: typed, tag: '' },
    ]);
    expect(await console.page.locator('img').count()).toBe(0);
  });

  test('Enter saves, Shift and Enter begins a line, and a save of no change says so', async () => {
    const console = await ConsolePage.open({ hand: 'keyboard', plants: [{ id: 1, name: 'Aloe' }] });

    await console.press('button', 'Edit Aloe');
    await console.press('button', 'Save');
    await console.says('No changes to save');
    await console.focuses('Edit Aloe');

    await console.press('button', 'Edit Aloe');
    await console.fill('Name', 'Aloe');
    await console.page.keyboard.press('Shift+Enter');
    await console.page.keyboard.insertText('vera');
    await console.page.keyboard.press('Enter');
    await console.says('Saved');
    expect(await console.service.plants()).toEqual([{ id: 1n, name: 'Aloe\nvera', tag: null }]);
  });
});

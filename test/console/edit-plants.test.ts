import { expect, test } from 'vitest';
import { startService } from '../support/service.js';
import { ConsolePage, describeConsole, HANDS } from './console-page.js';

/** Texts that a form or a page easily changes. */
const TEXTS = [
  ' leading and trailing ',
  '\u0001\u0007\u001b\u007f\u0085',
  'a\r\nb\rc\nd\te',
  '<img src=x onerror=alert(1)>',
  'שלום \u202Eolleh\u202C',
  '\u{10FFFF}\uFFFF\uFEFF',
  'n'.repeat(1_000),
  '',
];

describeConsole('editing plants', () => {
  test.for(HANDS)('changes what was typed and nothing else, whatever the texts: by %s', async (hand) => {
    const service = await startService();
    for (const [id, name] of TEXTS.entries()) await service.create({ id, name, tag: name });
    const console = await ConsolePage.open({ hand }, service);

    for (const id of TEXTS.keys()) {
      await console.use('button', console.page.getByRole('button', { name: /^Edit/ }).nth(id));
      await console.fill(id % 2 === 0 ? 'Tag' : 'Name', 'typed');
      await console.press('button', 'Save');
      await console.closesDialog();
    }

    expect(await service.plants()).toEqual(
      TEXTS.map((text, id) => ({
        id: BigInt(id),
        ...(id % 2 === 0 ? { name: text, tag: 'typed' } : { name: 'typed', tag: text }),
      })),
    );
  });

  test.for(HANDS)(
    'removes a tag that is emptied, keeps one that is empty, and writes texts exactly: by %s',
    async (hand) => {
      const service = await startService();
      await service.create({ id: 1, name: 'Aloe', tag: 'green' });
      await service.create({ id: 2, name: 'Fern', tag: '' });
      const console = await ConsolePage.open({ hand }, service);
      const [first = '', , , markup = '', rightToLeft = '', extremes = '', long = ''] = TEXTS;
      const typed = [first, markup, rightToLeft, extremes, long].join('\n');

      await console.press('button', 'Edit Aloe');
      await console.fill('Tag', '');
      await console.press('button', 'Save');
      await console.says('Aloe is saved.');
      await console.press('button', 'Edit Fern');
      await console.fill('Name', typed);
      await console.press('button', 'Save');
      await console.says('is saved.');

      expect(await service.plants()).toEqual([
        { id: 1n, name: 'Aloe', tag: null },
        { id: 2n, name: typed, tag: '' },
      ]);
      expect(await console.page.locator('img').count()).toBe(0);
    },
  );

  test('Enter saves, Shift and Enter begins a line', async () => {
    const service = await startService();
    await service.create({ id: 1, name: 'Aloe' });
    const console = await ConsolePage.open({ hand: 'keyboard' }, service);

    await console.press('button', 'Edit Aloe');
    await console.fill('Name', 'Aloe');
    await console.page.keyboard.press('Shift+Enter');
    await console.page.keyboard.insertText('vera');
    await console.page.keyboard.press('Enter');
    await console.says('is saved.');
    expect(await service.plants()).toEqual([{ id: 1n, name: 'Aloe\nvera', tag: null }]);
  });

  test('shows and edits a plant whose name has 16,384 characters', async () => {
    const service = await startService();
    const name = 'W'.repeat(16_384);
    await service.create({ id: 1, name });
    const console = await ConsolePage.open({}, service);

    expect(((await console.row('WWW').textContent()) ?? '').length).toBeLessThan(500);
    await console.press('button', /^Edit WWW/);
    await console.fill('Tag', 'long');
    await console.press('button', 'Save');
    await console.says('is saved.');

    expect(await service.plants()).toEqual([{ id: 1n, name, tag: 'long' }]);
  });

  test('says when nothing has changed', async () => {
    const service = await startService();
    await service.create({ id: 1, name: 'Aloe' });
    const console = await ConsolePage.open({ hand: 'keyboard' }, service);

    await console.press('button', 'Edit Aloe');
    await console.press('button', 'Save');
    await console.says('Nothing has changed.');
    await console.focuses('Edit Aloe');
  });
});

import { expect, test } from 'vitest';
import { createMany } from '../../../../support/plants.js';
import { startService } from '../../../../support/service.js';
import { ConsolePage, describeConsole } from '../console-page.js';

describeConsole('adding plants', () => {
  test('shows what is wrong beside the field, and stores what was typed', async () => {
    const console = await ConsolePage.open({ hand: 'keyboard', plants: [{ id: 7, name: 'Aloe' }] });
    await console.press('button', 'Add plant');
    await console.fill('Name', 'Fern');

    for (const [id, problem] of [
      ['1.5', 'The ID must be a whole number'],
      ['9223372036854775808', 'The ID must be a whole number'],
      ['7', 'Another plant has this ID.'],
    ] as const) {
      await console.fill('ID', id);
      await console.press('button', 'Save');
      const field = console.dialog.locator('.field').filter({ hasText: problem });
      await field.getByLabel('ID').and(console.page.locator(':focus')).waitFor();
    }
    await console.fill('ID', '9223372036854775807');
    await console.fill('Tag', 'g'.repeat(16_385));
    await console.press('button', 'Save');
    await console.dialog.locator('.field').filter({ hasText: 'tag must be' }).getByLabel('Tag').waitFor();
    await console.fill('Tag', 'green');
    await console.press('button', 'Save');
    await console.says('Saved “Fern”');
    await console.focuses('Add plant');

    await console.press('button', 'Add plant');
    expect(await console.text('ID')).toBe('');
    await console.fill('ID', '−9223372036854775808');
    await console.press('button', 'Save');
    await console.shows('alert', 'The plant has no name.');
    await console.press('button', 'Save');
    await console.says('Added 2 plants');
    await console.page.locator('tbody tr:nth-child(3)').waitFor();

    expect(await console.service.plants()).toEqual([
      { id: -(2n ** 63n), name: '', tag: null },
      { id: 7n, name: 'Aloe', tag: null },
      { id: 2n ** 63n - 1n, name: 'Fern', tag: 'green' },
    ]);
    const ids = await console.page.locator('tbody td:nth-child(2)').allTextContents();
    expect(ids).toEqual(['-9223372036854775808', '7', '9223372036854775807']);
    // One long id makes no other one long.
    await console.press('button', 'Add plant');
    await console.dialog.getByPlaceholder('4', { exact: true }).waitFor();
  });

  test('suggests the next free id, adds several in a row, counts them and marks their rows', async () => {
    const service = await startService();
    await createMany(service, 60);
    const console = await ConsolePage.open({ hand: 'keyboard' }, service);
    await console.press('button', 'Add plant');
    await console.dialog.getByPlaceholder('61').waitFor();
    await console.page.keyboard.insertText('Fern');
    await console.page.keyboard.press('Control+Enter');
    await console.says('Saved “Fern”');
    await console.dialog.getByPlaceholder('62').waitFor();
    await console.fill('Name', 'Hoya');
    await console.fill('Tag', 'climber');
    await console.press('button', 'Save and add another');
    await console.says('Added 2 plants');
    // Plants that are added together often share a tag.
    expect(await console.text('Tag')).toBe('climber');
    await console.fill('Name', 'Aloe');
    await console.press('button', 'Save');
    await console.says(/^Added 3 plants$/);
    const rows = console.row('New');
    const shown = (await rows.allTextContents()).map((text) => /\d+\w+New/.exec(text)?.[0]);
    expect(shown).toEqual(['63AloeNew', '62HoyaNew', '61FernNew']);
    const added = (await service.plants()).filter(({ id }) => id > 60n);
    expect(added.map(({ tag }) => tag)).toEqual([null, 'climber', 'climber']);
    await console.press('button', 'Delete Aloe');
    await console.press('button', 'Delete');
    await console.says('Deleted Aloe');
    expect(await service.plants()).toHaveLength(62);
  });

  test('begins in an empty store, and saves once however often that is pressed', async () => {
    const console = await ConsolePage.open();
    await console.press('button', /^Import a file/);
    await console.page.getByRole('heading', { name: 'Import and export' }).waitFor();
    await console.press('link', 'Plants');
    let writes = 0;
    console.page.on('request', (request) => (writes += Number(request.method() === 'PUT')));
    await console.press('button', /^Add a plant/);

    await console.control('button', 'Save').dblclick();
    await console.says('Saved “1”');

    expect(writes).toBe(1);
    expect(await console.service.plants()).toEqual([{ id: 1n, name: '', tag: null }]);
  });

  test.for(['Escape', 'Close', 'Cancel', 'Back'])(
    'a form left by %s discards the input, which can be undone; a reload asks first',
    async (way) => {
      const console = await ConsolePage.open({ hand: 'keyboard' });
      await console.press('button', 'Add plant');
      await console.fill('Name', 'Fern');

      const questions: string[] = [];
      console.page.on('dialog', (dialog) => {
        questions.push(dialog.type());
        void dialog.dismiss();
      });
      await console.page.evaluate(() => location.reload());
      await expect.poll(() => questions.splice(0)).toEqual(['beforeunload']);
      if (way === 'Escape') await console.page.keyboard.press(way);
      else if (way === 'Back') await console.page.goBack();
      else await console.press('button', way);
      await console.says('Changes discarded');
      await console.press('button', 'Undo');
      expect(await console.text('Name')).toBe('Fern');
      await console.press('button', 'Cancel');
      // The form is a place: a reload before the way back is done would open it again.
      await console.closesDialog();
      // Nothing is left to lose.
      await console.page.reload();
      expect(questions).toEqual([]);
      await console.press('button', 'Add plant');
      expect(await console.text('Name')).toBe('');
    },
  );
});

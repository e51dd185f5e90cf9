import { expect, test } from 'vitest';
import { ConsolePage, describeConsole } from '../console-page.js';

/** Opens the form of a plant and types a name. */
async function editAloe() {
  const console = await ConsolePage.open({
    hand: 'keyboard',
    plants: [{ id: 1, name: 'Aloe', tag: 'green' }],
  });
  await console.press('button', 'Edit Aloe');
  await console.isLoaded();
  await console.fill('Name', 'Mine');
  return console;
}

/** Saves what someone else has changed, or deleted, in the meantime. */
async function editOvertaken(theirs: object | undefined) {
  const console = await editAloe();
  await console.service.send(theirs ? 'PUT' : 'DELETE', '/plants/1', theirs && { body: theirs });
  await console.press('button', 'Save');
  return console;
}

describeConsole('a plant that someone else changes or deletes while its form is open', () => {
  test.for([
    ['Save mine', { id: 1n, name: 'Mine', tag: 'theirs' }],
    ['Keep theirs', { id: 1n, name: 'Theirs', tag: 'theirs' }],
    ['Keep editing', { id: 1n, name: 'Mine', tag: 'later' }],
  ] as const)('shows both versions, and does what is chosen: %s', async ([choice, expected]) => {
    const console = await editOvertaken({ name: 'Theirs', tag: 'theirs' });
    await console.reads('Which version do you want to keep?');
    // The other change was made with the same token, which the page learns from the live changes.
    await expect
      .poll(async () => console.dialog.locator('section').allInnerTexts())
      .toEqual([
        'Yours\nName your change\nMine\nTag changed by you\ntheirs',
        'Theirs\nName their change\nTheirs\nTag their change\ntheirs',
      ]);
    await expect.poll(async () => console.dialog.locator('mark').allInnerTexts()).toEqual(['Mine', 'Theirs']);
    await console.focuses('Keep editing');

    await console.press('button', choice);
    if (choice === 'Keep editing') {
      await console.fill('Tag', 'later');
      await console.press('button', 'Save');
    }
    await console.closesDialog();

    expect(await console.service.plants()).toEqual([expected]);
    await console.press('button', `Edit ${expected.name}`);
    expect(await console.text('Name')).toBe(expected.name);
  });

  test('marks the words that are different, in any script and late in a long text', async () => {
    const console = await editAloe();
    const start = 'word '.repeat(100);
    await console.fill('Name', `${start}green leaves, large pot`);
    await console.service.send('PUT', '/plants/1', {
      body: { name: `${start}small 盆, large pot`, tag: 'green' },
    });

    await console.press('button', 'Save');
    await console.reads('Which version do you want to keep?');

    await expect
      .poll(async () => console.dialog.locator('mark').allInnerTexts())
      .toEqual(['green', 'leaves', 'small', '盆']);
    expect(await console.dialog.locator('dd bdi').first().innerText()).toMatch(
      /^(word )+ … (word )+green leaves, large pot$/,
    );
  });

  test.for([
    ['Create again', [{ id: 1n, name: 'Mine', tag: 'green' }], 'Mine'],
    ['Discard changes', [], 'No plants yet'],
  ] as const)('says that it is gone, and does what is chosen: %s', async ([choice, expected, text]) => {
    const console = await editOvertaken(undefined);
    await console.reads('Someone else deleted this plant');
    // Nothing is different from a version that does not exist.
    expect(await console.page.locator('mark').count()).toBe(0);

    await console.press('button', choice);
    await console.closesDialog();

    expect(await console.service.plants()).toEqual(expected);
    await console.page.locator('tbody tr, .empty').filter({ hasText: text }).waitFor();
  });

  test.for([
    [{ name: 'Theirs' }, 'Someone else changed this plant', 'Which version do you want to keep?'],
    [undefined, 'Someone else deleted this plant', 'Create again'],
  ] as const)(
    'is shown at once, and on demand beside what was typed: %o',
    async ([theirs, notice, choice]) => {
      const console = await editAloe();

      await console.service.send(theirs ? 'PUT' : 'DELETE', '/plants/1', theirs && { body: theirs });
      await console.shows('status', notice);
      expect(await console.text('Name')).toBe('Mine');
      await console.press('button', 'Show');

      await console.reads(choice);
    },
  );

  test('takes in what nobody has typed over, and keeps the focus', async () => {
    const console = await editAloe();
    await console.press('button', 'Cancel');
    await console.press('button', 'Edit Aloe');
    await console.isLoaded();
    await console.service.send('PUT', '/plants/1', { body: { name: 'Theirs' } });
    await console.press('button', 'Show');

    await expect.poll(async () => console.text('Name')).toBe('Theirs');
    await console.dialog.locator(':focus').waitFor({ state: 'attached' });
    await console.fill('Tag', 'mine');
    await console.press('button', 'Save');
    await console.closesDialog();
    expect(await console.service.plants()).toEqual([{ id: 1n, name: 'Theirs', tag: 'mine' }]);
  });

  test('is not overwritten by what was typed in a form that was left before', async () => {
    const console = await editAloe();
    await console.page.keyboard.press('Escape');
    await console.service.send('PUT', '/plants/1', { body: { name: 'Theirs' } });

    await console.press('button', 'Undo');
    await console.press('button', 'Save');

    await console.reads('Someone else changed this plant');
  });

  test('is no matter where the two agree: a save whose response was lost is saved', async () => {
    const console = await editAloe();
    await console.disturb('**/plants/1', 'PATCH', async (route) => {
      await route.fetch();
      await route.abort('connectionreset');
    });

    await console.press('button', 'Save');

    await console.says('Saved “Mine”');
  });
});

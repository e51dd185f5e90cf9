import { expect, test } from 'vitest';
import { startService } from '../support/service.js';
import { ConsolePage, describeConsole, HANDS, type Hand } from './console-page.js';

describeConsole('a plant that someone else changes or deletes while its form is open', () => {
  for (const hand of HANDS) {
    test.for([
      ['Save mine', { id: 1n, name: 'Mine', tag: 'theirs' }],
      ['Keep theirs', { id: 1n, name: 'Theirs', tag: 'theirs' }],
      ['Go on editing mine', { id: 1n, name: 'Mine', tag: 'later' }],
    ] as const)(
      `shows both versions, and does what is chosen: %s, by ${hand}`,
      async ([choice, expected]) => {
        const { service, console } = await editOvertaken(hand, { name: 'Theirs', tag: 'theirs' });
        const versions = console.dialog.locator('section');
        await console.dialog.getByRole('heading', { name: 'Someone else changed this plant' }).waitFor();
        expect(await versions.allInnerTexts()).toEqual([
          'Yours\nName\nMine\nTag\ntheirs',
          'Theirs\nName\nTheirs\nTag\ntheirs',
        ]);

        await console.press('button', choice);
        if (choice === 'Go on editing mine') {
          await console.fill('Tag', 'later');
          await console.press('button', 'Save');
        }
        await console.closesDialog();

        expect(await service.plants()).toEqual([expected]);
        await console.press('button', `Edit ${expected.name}`);
        expect(await console.control('textbox', 'Name').inputValue()).toBe(expected.name);
      },
    );

    test.for([
      ['Create it again', [{ id: 1n, name: 'Mine', tag: 'green' }]],
      ['Discard my changes', []],
    ] as const)(
      `says that it is gone, and does what is chosen: %s, by ${hand}`,
      async ([choice, expected]) => {
        const { service, console } = await editOvertaken(hand, undefined);
        await console.dialog.getByRole('heading', { name: 'This plant was deleted meanwhile.' }).waitFor();

        await console.press('button', choice);
        await console.closesDialog();

        expect(await service.plants()).toEqual(expected);
        await (
          expected.length > 0 ? console.row('Mine') : console.page.getByText('There are no plants yet.')
        ).waitFor();
      },
    );
  }

  test('is not overwritten by what was typed in a form that was left before', async () => {
    const { console } = await editAloe('mouse');
    await console.page.keyboard.press('Escape');
    await console.service.send('PUT', '/plants/1', { body: { name: 'Theirs' } });

    await console.press('button', 'Edit Aloe');
    await console.press('button', 'Save');

    await console.dialog.getByRole('heading', { name: 'Someone else changed this plant' }).waitFor();
  });

  test('is no matter where the two agree: a save whose response was lost is saved', async () => {
    const { console } = await editAloe('mouse');
    await console.page.route(
      '**/plants/1',
      async (route) => {
        if (route.request().method() !== 'PATCH') return route.fallback();
        await route.fetch();
        return route.abort('connectionreset');
      },
      { times: 1 },
    );

    await console.press('button', 'Save');
    await console.press('button', 'Try now');

    await console.says('Mine is saved.');
  });

  /** Opens the form of a plant and types a name. */
  async function editAloe(hand: Hand) {
    const service = await startService();
    await service.create({ id: 1, name: 'Aloe', tag: 'green' });
    const console = await ConsolePage.open({ hand }, service);
    await console.press('button', 'Edit Aloe');
    await console.control('button', 'Save').and(console.page.locator('[aria-disabled=false]')).waitFor();
    await console.fill('Name', 'Mine');
    return { service, console };
  }

  /** Saves what someone else has changed, or deleted, in the meantime. */
  async function editOvertaken(hand: Hand, theirs: object | undefined) {
    const edited = await editAloe(hand);
    await edited.service.send(theirs ? 'PUT' : 'DELETE', '/plants/1', theirs && { body: theirs });
    await edited.console.press('button', 'Save');
    return edited;
  }
});

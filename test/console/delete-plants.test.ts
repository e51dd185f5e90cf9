import { expect, test } from 'vitest';
import { startService } from '../support/service.js';
import { ConsolePage, describeConsole, HANDS, type Hand } from './console-page.js';

describeConsole('deleting and tagging plants', () => {
  const PLANTS = [
    { id: 1, name: 'Aloe', tag: '' },
    { id: 2, name: ' \r\n\u0001', tag: 'green' },
    { id: 9_007_199_254_740_991, name: 'Fern' },
  ];

  async function open(hand: Hand) {
    const service = await startService();
    for (const plant of PLANTS) await service.create(plant);
    return { service, console: await ConsolePage.open({ hand }, service), before: await service.plants() };
  }

  test.for(HANDS)('deletes one after asking, and puts it back exactly: by %s', async (hand) => {
    const { service, console, before } = await open(hand);

    await console.press('button', 'Delete 2');
    await console.focuses('Cancel');
    await console.press('button', 'Cancel');
    await console.focuses('Delete 2');
    expect(await service.plants()).toEqual(before);

    await console.press('button', 'Delete 2');
    await console.press('button', 'Delete');
    await console.says('2 is deleted.');
    expect(await service.plants()).toHaveLength(2);
    await console.focuses('Undo');
    await console.press('button', 'Undo');
    await console.says('The deletion is undone.');
    await console.focuses('Plants');
    expect(await service.plants()).toEqual(before);
    await console.control('button', 'Delete 2').waitFor();
  });

  test.for(HANDS)(
    'tags and deletes all that are selected, and puts them back exactly: by %s',
    async (hand) => {
      const { service, console } = await open(hand);

      await console.press('checkbox', 'Select all on this page');
      await console.press('button', 'Tag …');
      await console.fill('Tag', ' potted ');
      await console.press('button', 'Set the tag');
      await console.says('3 plants have the tag.');
      await console.focuses('Plants');
      const tagged = await service.plants();
      expect(tagged).toEqual(PLANTS.map(({ id, name }) => ({ id: BigInt(id), name, tag: ' potted ' })));

      await console.press('checkbox', 'Select Aloe');
      await console.press('button', 'Tag …');
      await console.press('button', 'Remove the tag');
      await console.says('1 plant has no tag.');
      const before = await service.plants();

      await console.press('checkbox', 'Select all on this page');
      await console.press('button', 'Delete …');
      await console.press('button', 'Delete');
      await console.says('3 plants are deleted.');
      await console.page.getByText('There are no plants yet.').waitFor();
      await console.press('button', 'Undo');
      await console.says('The deletion is undone.');
      expect(await service.plants()).toEqual(before);
    },
  );

  test('leaves alone what someone else has changed or deleted, and puts back only what is free', async () => {
    const { service, console } = await open('mouse');
    await console.press('checkbox', 'Select all on this page');
    await service.send('PUT', '/plants/1', { body: { name: 'Theirs' } });

    await console.press('button', 'Delete …');
    await console.press('button', 'Delete');
    await console.says('2 plants are deleted. 1 plant was changed or deleted by someone else');
    await service.create({ id: 2, name: 'Another' });
    await console.press('button', 'Undo');
    await console.says('1 plant could not be put back: the id was taken.');

    expect(await service.plants()).toMatchObject([{ name: 'Theirs' }, { name: 'Another' }, { name: 'Fern' }]);
  });

  test('says and can undo what was deleted before a request was refused', async () => {
    const { service, console, before } = await open('mouse');
    await console.page.route('**/plants/2', async (route) =>
      route.request().method() === 'DELETE'
        ? route.fulfill({ status: 403, json: { error: 40300, message: 'The access token lacks the scope.' } })
        : route.fallback(),
    );
    await console.press('checkbox', 'Select all on this page');

    await console.press('button', 'Delete …');
    await console.press('button', 'Delete');
    await console.says(/deleted.*lacks the scope/);
    await console.press('button', 'Undo');
    await console.says('The deletion is undone.');

    expect(await service.plants()).toEqual(before);
  });

  test('can be undone from wherever the user has gone since', async () => {
    const { console, service, before } = await open('mouse');
    await console.press('button', 'Delete Aloe');
    await console.press('button', 'Delete');
    await console.says('Aloe is deleted.');

    await console.page.evaluate(() => (location.hash = '#/plants?name=A'));
    await console.page.getByText('No plant matches.').waitFor();
    await console.press('button', 'Undo');
    await console.row('Aloe').waitFor();

    expect(await service.plants()).toEqual(before);
  });
});

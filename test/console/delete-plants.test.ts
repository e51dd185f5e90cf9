import { expect, test } from 'vitest';
import { ConsolePage, describeConsole } from './console-page.js';

const PLANTS = [
  { id: 1, name: 'Aloe', tag: '' },
  { id: 2, name: ' \r\n\u0001', tag: 'green' },
  { id: 9_007_199_254_740_991, name: 'Fern' },
];

async function open() {
  const console = await ConsolePage.open({ hand: 'keyboard', plants: PLANTS });
  return { service: console.service, console, before: await console.service.plants() };
}

async function deleteAll(console: ConsolePage): Promise<void> {
  await console.press('button', 'Delete …');
  await console.press('button', 'Delete');
}

async function undo(console: ConsolePage): Promise<void> {
  await console.press('button', 'Undo');
  await console.says('The deletion is undone.');
}

describeConsole('deleting and tagging plants', () => {
  test('deletes one after asking, and puts it back exactly', async () => {
    const { service, console, before } = await open();

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
    await undo(console);
    await console.focuses('Plants');
    expect(await service.plants()).toEqual(before);
    await console.control('button', 'Delete 2').waitFor();
  });

  test('tags and deletes all that are selected, and puts them back exactly', async () => {
    const { service, console } = await open();

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
    await deleteAll(console);
    await console.says('3 plants are deleted.');
    await console.reads('There are no plants yet.');
    await undo(console);
    expect(await service.plants()).toEqual(before);
  });

  test('leaves alone what someone else has changed or deleted, and puts back only what is free', async () => {
    const { service, console } = await open();
    await console.press('checkbox', 'Select all on this page');
    await service.send('PUT', '/plants/1', { body: { name: 'Theirs' } });

    await deleteAll(console);
    await console.says('2 plants are deleted. 1 plant was changed or deleted by someone else');
    await service.create({ id: 2, name: 'Another' });
    await console.press('button', 'Undo');
    await console.says('1 plant could not be put back: the id was taken.');

    expect(await service.plants()).toMatchObject([{ name: 'Theirs' }, { name: 'Another' }, { name: 'Fern' }]);
  });

  test('says and can undo what was deleted before a request was refused, from wherever the user has gone', async () => {
    const { service, console, before } = await open();
    const json = { error: 40300, message: 'The access token lacks the scope.' };
    await console.disturb('**/plants/2', 'DELETE', async (route) => route.fulfill({ status: 403, json }));
    await console.press('checkbox', 'Select all on this page');

    await deleteAll(console);
    await console.says(/deleted.*lacks the scope/);
    await console.page.evaluate(() => (location.hash = '#/plants?name=A'));
    await console.reads('No plant matches.');
    await undo(console);

    expect(await service.plants()).toEqual(before);
  });

  test('puts back a field that the console does not know', async () => {
    const LARGE = '"unknown":9007199254740993';
    const console = await ConsolePage.open({ token: '', plants: [{ id: 1, name: 'Aloe' }] });
    const sent: (string | null)[] = [];
    await console.page.route(/\/plants(\?|\/1$)/, async (route) => {
      if (route.request().method() !== 'GET') {
        sent.push(route.request().postData());
        return route.fallback();
      }
      const response = await route.fetch();
      return route.fulfill({ response, body: (await response.text()).replace('"id":1', `"id":1,${LARGE}`) });
    });
    await console.signIn();
    await console.press('button', 'Delete Aloe');
    await console.press('button', 'Delete');

    await undo(console);

    expect(sent.at(-1)).toContain(LARGE);
  });
});

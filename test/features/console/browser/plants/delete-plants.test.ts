import { expect, test } from 'vitest';
import { createMany } from '../../../../support/plants.js';
import { startService } from '../../../../support/service.js';
import { ConsolePage, describeConsole } from '../console-page.js';

const BATCH = '**/plants/batch';

const valuesOf = (options: Element[]) => options.map((option) => option.getAttribute('value'));

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
  await console.use('button', console.page.getByRole('button', { name: 'Undo' }).last());
  await console.says('Deletion undone');
}

/** Holds back what is sent of the last 40 of 240 plants until the returned function is called. */
async function holdTheLast40({ page }: ConsolePage): Promise<() => void> {
  const { promise: isOver, resolve: release } = Promise.withResolvers<void>();
  await page.route(BATCH, async (route) => {
    const { operations } = route.request().postDataJSON() as { operations: unknown[] };
    if (operations.length === 40) await isOver;
    await route.continue().catch(() => undefined);
  });
  return release;
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
    await console.says('Deleted 2');
    expect(await service.plants()).toHaveLength(2);
    await undo(console);
    await console.focuses('Plants');
    expect(await service.plants()).toEqual(before);
    await console.control('button', 'Delete 2').waitFor();
  });

  test('tags and deletes all that are selected, and puts them back exactly', async () => {
    const { service, console, before: untouched } = await open();

    await console.press('checkbox', 'Select all on this page');
    await console.press('button', 'Tag …');
    expect(await console.page.locator('datalist option').evaluateAll(valuesOf)).toEqual(['green']);
    await console.press('button', 'Set tag');
    await console.shows('alert', 'Enter a tag.');
    expect(await service.plants()).toEqual(untouched);
    await console.fill('Tag', ' potted ');
    await console.press('button', 'Set tag');
    await console.says('Tagged 3 plants “ potted ”');
    const tagged = PLANTS.map(({ id, name }) => ({ id: BigInt(id), name, tag: ' potted ' }));
    expect(await service.plants()).toEqual(tagged);
    await console.press('button', 'Undo');
    await console.says('Tags restored');
    expect(await service.plants()).toEqual(untouched);

    await console.press('checkbox', 'Select 2');
    await console.press('button', 'Tag …');
    await console.press('button', 'Remove tag');
    await console.says('Removed the tag of 1 plant');
    const before = await service.plants();

    await console.press('checkbox', 'Select all on this page');
    await deleteAll(console);
    await console.says('Deleted 3 plants');
    await console.reads('No plants yet');
    await undo(console);
    expect(await service.plants()).toEqual(before);
  });

  test('leaves alone what someone else has changed or deleted, and puts back only what is free', async () => {
    const { service, console } = await open();
    await console.press('checkbox', 'Select all on this page');
    await service.send('PUT', '/plants/1', { body: { name: 'Theirs' } });

    await deleteAll(console);
    await console.says('Deleted 2 plants. Skipped 1 plant that someone else changed or deleted: 1 “Aloe”');
    await service.create({ id: 2, name: 'Another' });
    await console.press('button', 'Undo');
    await console.says('Could not restore 1 plant: another plant has the ID. Not restored: 2 “');

    expect(await service.plants()).toMatchObject([{ name: 'Theirs' }, { name: 'Another' }, { name: 'Fern' }]);
  });

  test('keeps each undo of two deletions in turn, and says a failure in another way', async () => {
    const { service, console, before } = await open();
    for (const name of ['Aloe', 'Fern']) {
      await console.press('button', `Delete ${name}`);
      await console.press('button', 'Delete');
      await console.says(`Deleted ${name}`);
    }

    await console.use('button', console.control('button', 'Undo').first());
    await console.says('Deletion undone');
    await service.create({ id: 9_007_199_254_740_991, name: 'Another' });
    await console.press('button', 'Undo');
    await console.shows('alert', 'Could not restore 1 plant: another plant has the ID.');

    expect(await service.plants()).toEqual([...before.slice(0, 2), { ...before[2], name: 'Another' }]);
  });

  test('says and can undo what was deleted before a request was refused, from wherever the user has gone', async () => {
    const { service, console, before } = await open();
    const json = { error: 40300, message: 'The access token lacks the scope.' };
    // Each alone after this, until the second is refused.
    await console.disturb(BATCH, 'POST', async (route) =>
      route.fulfill({ status: 412, json: { error: 41200, message: 'It is not as it was.' } }),
    );
    await console.disturb('**/plants/2', 'DELETE', async (route) => route.fulfill({ status: 403, json }));
    await console.press('checkbox', 'Select all on this page');

    await deleteAll(console);
    await console.says(/Deleted.*lacks the scope/);
    await console.page.evaluate(() => (location.hash = '#/plants?search=A'));
    await console.reads(/“.A.” in the name or tag/u);
    await undo(console);

    expect(await service.plants()).toEqual(before);
  });

  test('selects a range with the Shift key, by mouse and by keyboard', async () => {
    const plants = [1, 2, 3, 4, 5].map((id) => ({ id, name: `plant ${id}` }));
    const console = await ConsolePage.open({ plants });
    const choose = (id: number) => console.control('checkbox', `Select plant ${id}`);

    await choose(2).click();
    await choose(4).click({ modifiers: ['Shift'] });
    await console.shows('status', '3 selected');
    await choose(1).focus();
    await console.page.keyboard.press('Shift+Space');
    await console.shows('status', '4 selected');
    await console.page.keyboard.press('s');
    await console.focuses('Tag …');
    await console.press('button', 'Clear');
    await console.shows('status', '5 plants');
  });

  test('changes all that match on every page, shows how far it is, and can be stopped and undone', async () => {
    const service = await startService();
    await createMany(service, 240);
    const console = await ConsolePage.open({}, service);
    const before = await service.plants();
    const selectAll = async () => {
      await console.press('checkbox', 'Select all on this page');
      await console.press('button', 'Select all 240');
      await console.shows('status', '240 selected');
    };
    await selectAll();
    const answer = await holdTheLast40(console);
    await deleteAll(console);
    await console.page.getByRole('progressbar').and(console.page.locator('[value="200"]')).waitFor();
    expect(await service.plants()).toHaveLength(40);
    await console.press('button', 'Cancel');
    answer();
    await console.says('Stopped: 200 of 240 plants. Deleted 200 plants');
    await undo(console);
    expect(await service.plants()).toEqual(before);

    const writes: string[] = [];
    console.page.on('request', (request) => {
      if (request.method() !== 'GET') writes.push(new URL(request.url()).pathname);
    });
    await selectAll();
    await console.press('button', 'Tag …');
    await console.fill('Tag', 'potted');
    await console.press('button', 'Set tag');
    const tagged = before.map(({ id, name }) => ({ id, name, tag: 'potted' }));
    await expect.poll(async () => service.plants(), { timeout: 60_000 }).toEqual(tagged);
    await console.says('Tagged 240 plants “potted”');
    expect(writes).toEqual(Array.from({ length: 4 }, () => '/plants/batch'));
    await console.press('button', 'Delete plant 1');
    await console.press('button', 'Delete');
    await console.shows('status', '1–50 of 239 plants');
  }, 120_000);

  test('asks before the page is closed meanwhile, and says afterwards where it stopped', async () => {
    const service = await startService();
    await createMany(service, 240);
    const console = await ConsolePage.open({}, service);
    const asked: string[] = [];
    console.page.on('dialog', (dialog) => {
      asked.push(dialog.type());
      void dialog.accept();
    });
    await console.press('checkbox', 'Select all on this page');
    await console.press('button', 'Select all 240');
    await holdTheLast40(console);
    await deleteAll(console);
    await console.page.getByRole('progressbar').and(console.page.locator('[value="200"]')).waitFor();

    await console.page.reload();

    await console.says('Stopped by a reload: 200 of 240 plants.');
    expect(asked).toEqual(['beforeunload']);
  });

  test('shows and puts back a field that the console does not know', async () => {
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
    await console.press('button', 'Edit Aloe');
    expect(await console.text('unknown')).toBe('9007199254740993');
    expect(await console.control('textbox', 'unknown').isEditable()).toBe(false);
    await console.press('button', 'Cancel');
    await console.press('button', 'Delete Aloe');
    await console.press('button', 'Delete');

    await undo(console);

    expect(sent.at(-1)).toContain(LARGE);
  });
});

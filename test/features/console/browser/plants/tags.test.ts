import { expect, test } from 'vitest';
import { ConsolePage, describeConsole } from '../console-page.js';

const LONG = 'long '.repeat(20);

const PLANTS = [
  { id: 1, name: 'Aloe', tag: 'Succulent' },
  { id: 2, name: 'Crassula', tag: 'succulent' },
  { id: 3, name: 'Echeveria', tag: 'succulent' },
  { id: 4, name: 'Fern', tag: LONG },
  { id: 5, name: 'Hoya', tag: '' },
  { id: 6, name: 'Ficus' },
];

const tagOf = (plants: readonly object[]) =>
  plants.map((plant) => ('tag' in plant ? plant.tag : undefined) ?? undefined);

describeConsole('the tags', () => {
  test('have their numbers of plants, can be found, and lead to their plants', async () => {
    const console = await ConsolePage.open({ at: '#/tags', plants: PLANTS });
    await console.shows('status', '4 tags');

    expect(await console.page.locator('tbody tr').allInnerTexts()).toEqual([
      expect.stringMatching(/^\(empty\)\s+1\s/),
      expect.stringMatching(/^long.*\s+1\s/),
      expect.stringMatching(/^succulent\s+2\s/),
      expect.stringMatching(/^Succulent\s+1\s/),
    ]);
    // Lists look up neither the empty tag nor the long one.
    expect(await console.page.locator('tbody a').allInnerTexts()).toEqual(['2', '1']);
    await console.fill('Find a tag', 'SUCC', 'searchbox');
    await expect.poll(async () => console.page.locator('tbody tr').count()).toBe(2);
    await console.press('link', '2');

    await console.row('Echeveria').waitFor();
    expect(new URL(console.page.url()).hash).toBe('#/plants?tag=succulent');
  });

  test('become one when one gets the name of the other, which can be undone', async () => {
    const console = await ConsolePage.open({ hand: 'keyboard', at: '#/tags', plants: PLANTS });
    const { service } = console;

    await console.press('button', 'Rename Succulent');
    await console.fill('Tag', 'succulent');
    await console.reads('2 plants have this tag already.');
    await console.press('button', 'Merge');
    await console.says('Tagged 1 plant “succulent” instead of “');
    await console.shows('status', '3 tags');
    expect(tagOf(await service.plants())).toEqual([
      'succulent',
      'succulent',
      'succulent',
      LONG,
      '',
      undefined,
    ]);

    await console.press('button', 'Undo');
    await console.shows('status', '4 tags');
    expect(tagOf(await service.plants())).toEqual(tagOf(PLANTS));
  });

  test.for([
    [/^Rename long/, 'short', ['Succulent', 'succulent', 'succulent', 'short', '', undefined]],
    [/^Rename$/, 'potted', ['Succulent', 'succulent', 'succulent', LONG, 'potted', undefined]],
  ] as const)('that lists do not look up are renamed too: %s', async ([button, name, expected]) => {
    const console = await ConsolePage.open({ at: '#/tags', plants: PLANTS });

    await console.press('button', button);
    await console.fill('Tag', name);
    await console.press('button', 'Rename');
    await console.says(`Tagged 1 plant “${name}”`);

    expect(tagOf(await console.service.plants())).toEqual(expected);
  });

  test('are only read without the scope to write', async () => {
    const console = await ConsolePage.open({ scopes: ['plants:read'], plants: PLANTS });
    await console.press('link', 'Tags');
    await console.shows('status', '4 tags');

    expect(await console.page.getByRole('button', { name: /^Rename/ }).count()).toBe(0);
  });
});

import { join } from 'node:path';
import axe, { type AxeResults } from 'axe-core';
import { expect, test } from 'vitest';
import { ConsolePage, describeConsole } from './console-page.js';
import { LOOKS, openScene, SCENES } from './scenes.js';

/** What WCAG 2.2 asks for at the levels A and AA, as far as a program can tell. */
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

/** What is against the rules, and where. */
async function violations({ page }: ConsolePage): Promise<string[]> {
  const options = JSON.stringify({ runOnly: { type: 'tag', values: RULES }, resultTypes: ['violations'] });
  const results = await page.evaluate<AxeResults>(`axe.run(${options})`);
  return results.violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${String(target)}`));
}

/** Whether to draw the pictures of the documents again. */
const { PICTURES } = process.env;

const WANTED = SCENES.flatMap((scene) =>
  (scene.pictures ?? []).map((look) => [scene.name, look, scene] as const),
);

/** How far the page, or the dialog in it, is wider than what shows it. */
async function excessWidth({ page }: ConsolePage): Promise<number> {
  return page.evaluate(() =>
    Math.max(
      ...[document.documentElement, ...document.querySelectorAll('dialog')].map(
        ({ scrollWidth, clientWidth }) => scrollWidth - clientWidth,
      ),
    ),
  );
}

describeConsole('accessibility', () => {
  test.for(SCENES)(
    '$name keeps to WCAG 2.2 AA and fits, whatever the width, the colours and the size of text',
    async (scene) => {
      const console = await openScene(scene, { ...LOOKS.light, reducedMotion: 'reduce' }, true);
      await console.page.evaluate(axe.source);

      for (const [look, { viewport, ...media }] of Object.entries(LOOKS)) {
        await console.page.setViewportSize(viewport);
        await console.page.emulateMedia(media);
        // The bar that stays in sight covers a part of what is scrolled under it.
        await console.page.evaluate(() => scrollTo(0, 0));
        expect.soft(await violations(console), look).toEqual([]);
        expect.soft(await excessWidth(console), look).toBe(0);
      }
    },
  );

  test('a keyboard alone signs in, finds, adds, edits, deletes and undoes, imports, makes a token and signs out', async () => {
    const console = await ConsolePage.open({
      hand: 'keyboard',
      token: '',
      plants: [{ id: 1, name: 'Aloe' }],
    });
    const { page, service } = console;
    const file = { name: 'plants.ndjson', mimeType: '', buffer: Buffer.from('{"id":3,"name":"Hoya"}') };
    await console.signIn();

    await console.press('button', 'Add plant');
    await console.fill('ID', '2');
    await console.fill('Name', 'Fern');
    await console.press('button', 'Save');
    await console.says('Saved Fern');
    await console.fill('Search', '2', 'searchbox');
    await page.locator('tbody tr:only-child', { hasText: 'Fern' }).waitFor();
    await console.press('button', 'Edit Fern');
    await console.fill('Tag', 'green');
    await console.press('button', 'Save');
    await console.says('Saved Fern');
    await console.press('button', 'Delete Fern');
    await console.press('button', 'Delete');
    await console.press('button', 'Undo');
    await console.says('Deletion undone');

    await console.press('link', 'Import and export');
    // The browser has to know early that nobody will look at its dialog.
    const chooser = page.waitForEvent('filechooser');
    await console.reach(page.getByLabel('Drop a file here'));
    await page.keyboard.press('Enter');
    await (await chooser).setFiles(file);
    await console.press('button', 'Start import');
    await console.reads('1 plant imported');

    await console.press('link', 'Tokens');
    await console.press('button', 'New token');
    await console.fill('Name', 'greenhouse');
    await console.press('checkbox', 'plants:read');
    await console.press('button', 'Create token');
    await console.press('button', 'Done');
    await console.press('button', 'Revoke greenhouse');
    await console.press('button', 'Revoke');
    await console.says('Revoked greenhouse');
    await console.press('button', 'Sign out');
    await console.control('textbox', 'Access token').waitFor();

    expect(await service.plants()).toEqual([
      { id: 1n, name: 'Aloe', tag: null },
      { id: 2n, name: 'Fern', tag: 'green' },
      { id: 3n, name: 'Hoya', tag: null },
    ]);
  });

  test.runIf(PICTURES).for(WANTED)('the picture of %s, %s', async ([name, look, scene]) => {
    const viewport = look === 'narrow' ? { width: 390, height: 844 } : { width: 1_280, height: 800 };
    const { page } = await openScene(scene, { ...LOOKS[look], viewport, reducedMotion: 'reduce' });
    const file = look === 'light' ? `${name}.png` : `${name}-${look}.png`;
    // Playwright hides the caret with a style that the policy of the page forbids.
    await page.screenshot({
      path: join(import.meta.dirname, '../../../../docs/console', file),
      caret: 'initial',
    });
  });
});

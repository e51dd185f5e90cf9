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

  test('a keyboard alone imports a file', async () => {
    const console = await ConsolePage.open({ hand: 'keyboard', at: '#/transfer' });
    const { page } = console;
    const file = { name: 'plants.ndjson', mimeType: '', buffer: Buffer.from('{"id":3,"name":"Hoya"}') };

    // The browser has to know early that nobody will look at its dialog.
    const chooser = page.waitForEvent('filechooser');
    await console.reach(page.getByLabel('Drop a file here'));
    await page.keyboard.press('Enter');
    await (await chooser).setFiles(file);
    await console.press('button', 'Start import');

    await console.reads('1 plant imported');
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

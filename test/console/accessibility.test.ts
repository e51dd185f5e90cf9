import { join } from 'node:path';
import axe, { type AxeResults } from 'axe-core';
import { expect, test } from 'vitest';
import { type ConsolePage, describeConsole } from './console-page.js';
import { LOOKS, openScene, SCENES } from './scenes.js';

/** What WCAG 2.2 asks for at the levels A and AA, as far as a program can tell. */
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

/** What is against the rules, and where. */
async function violations({ page }: ConsolePage): Promise<string[]> {
  await page.evaluate(axe.source);
  const options = JSON.stringify({ runOnly: { type: 'tag', values: RULES } });
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
    '$name keeps to WCAG 2.2 AA, light and dark, wide and narrow, and fits 320 px',
    async (scene) => {
      const console = await openScene(scene, { ...LOOKS.light, reducedMotion: 'reduce' }, true);

      for (const [look, { viewport, colorScheme }] of Object.entries(LOOKS)) {
        await console.page.setViewportSize(viewport);
        await console.page.emulateMedia({ colorScheme });
        expect(await violations(console), look).toEqual([]);
        expect(await excessWidth(console), look).toBe(0);
      }
    },
  );

  test.runIf(PICTURES).for(WANTED)('the picture of %s, %s', async ([name, look, scene]) => {
    const { page } = await openScene(scene, LOOKS[look]);
    const file = look === 'light' ? `${name}.png` : `${name}-${look}.png`;
    // Playwright hides the caret with a style that the policy of the page forbids.
    await page.screenshot({ path: join(import.meta.dirname, '../../docs/console', file), caret: 'initial' });
  });
});

import { join } from 'node:path';
import { test } from 'vitest';
import { describeConsole } from './console-page.js';
import { LOOKS, openScene, SCENES } from './scenes.js';

/** Whether to draw the pictures of the documents again. */
const { PICTURES } = process.env;

const WANTED = SCENES.flatMap((scene) =>
  (scene.pictures ?? []).map((look) => [scene.name, look, scene] as const),
);

describeConsole('pictures', () => {
  test.runIf(PICTURES).for(WANTED)('%s, %s', async ([name, look, scene]) => {
    const { page } = await openScene(scene, LOOKS[look]);
    const file = look === 'light' ? `${name}.png` : `${name}-${look}.png`;
    // Playwright hides the caret with a style that the policy of the page forbids.
    await page.screenshot({ path: join(import.meta.dirname, '../../docs/console', file), caret: 'initial' });
  });
});

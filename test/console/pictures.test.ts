import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'vitest';
import { ConsolePage, describeConsole } from './console-page.js';
import { LOOKS, SCENES, startGarden } from './scenes.js';

const FOLDER = join(import.meta.dirname, '../../docs/console');

/** Whether to draw the pictures of the documents again. */
const { PICTURES } = process.env;

const WANTED = SCENES.flatMap(({ pictures = [], ...scene }) => pictures.map((look) => ({ ...scene, look })));

describeConsole('pictures', () => {
  test.runIf(PICTURES).for(WANTED)('$name, $look', async ({ name, at, token, open, look }) => {
    const console = await ConsolePage.open(
      { context: LOOKS[look], ...(at !== undefined && { at }), ...(token !== undefined && { token }) },
      await startGarden(),
    );
    await open?.(console);
    await console.page.locator('[aria-busy=true]').waitFor({ state: 'detached' });
    mkdirSync(FOLDER, { recursive: true });
    // Playwright hides the caret with a style that the policy of the page forbids.
    await console.page.screenshot({
      path: join(FOLDER, look === 'light' ? `${name}.png` : `${name}-${look}.png`),
      caret: 'initial',
    });
  });
});

import { expect, test } from 'vitest';
import { TOKEN } from '../support/service.js';
import { ConsolePage, describeConsole } from './console-page.js';

const SIGNED_OUT = { token: '' };

/** Every text in the storage of the browser. */
async function stored({ page }: ConsolePage): Promise<string> {
  return page.evaluate(() =>
    [...Object.values(sessionStorage), ...Object.values(localStorage), document.cookie].join(),
  );
}

async function becomesReady(console: ConsolePage): Promise<void> {
  await console.reads('There are no plants yet.');
}

async function asksForToken(console: ConsolePage): Promise<void> {
  await console.control('textbox', 'Access token').waitFor();
}

describeConsole('sign-in', () => {
  test('takes a pasted token, which a reload forgets', async () => {
    const console = await ConsolePage.open({ ...SIGNED_OUT, hand: 'keyboard' });

    await console.signIn(` Bearer ${TOKEN}\n`);
    await becomesReady(console);

    expect(await stored(console)).not.toContain(TOKEN);
    await console.page.reload();
    await asksForToken(console);
  });

  test('keeps a token for reloads if the user wants that, until he signs out', async () => {
    const console = await ConsolePage.open({ ...SIGNED_OUT, hand: 'keyboard' });

    await console.press('checkbox', 'Keep it until this tab is closed');
    await console.signIn();
    await becomesReady(console);
    await console.page.reload();
    await becomesReady(console);

    await console.press('button', 'Sign out');
    await asksForToken(console);
    expect(await stored(console)).not.toContain(TOKEN);
  });

  test('takes no token from the address, where the history of the browser would keep it', async () => {
    const console = await ConsolePage.open({ ...SIGNED_OUT, at: `#token=${TOKEN}` });
    await asksForToken(console);
    await console.signIn();
    await becomesReady(console);

    await console.page.evaluate(() => (location.hash = '#token=another'));
    await becomesReady(console);
    expect(await stored(console)).not.toContain(TOKEN);
  });

  test('cannot be left without a token, says that one is wrong, and takes the next', async () => {
    const console = await ConsolePage.open({ ...SIGNED_OUT, hand: 'keyboard' });
    for (let turn = 0; turn < 3; turn += 1) await console.page.keyboard.press('Escape');

    for (const [token, problem] of [
      ['', 'This is no access token.'],
      ['naïve €', 'This is no access token.'],
      ['wrong', 'The access token'],
      ['wrong-again', 'The access token'],
    ] as const) {
      await console.signIn(token);
      await console.shows('alert', problem);
      await console.control('textbox', 'Access token').and(console.page.locator(':focus')).waitFor();
    }
    await console.signIn();

    await becomesReady(console);
  });

  test('signing out forgets everything that was shown and typed', async () => {
    const plants = [{ id: 1, name: 'Secret fern' }];
    const console = await ConsolePage.open({ hand: 'keyboard', at: '#/plants?name=Secret', plants });
    await console.press('button', 'Edit Secret fern');
    await console.fill('Name', 'Secret draft');
    await console.page.keyboard.press('Escape');

    await console.press('button', 'Sign out');
    await asksForToken(console);
    expect(await console.page.content()).not.toContain('Secret');
    expect(console.page.url()).toBe(`${console.service.url}/console/`);

    await console.signIn();
    await console.press('button', 'Edit Secret fern');
    expect(await console.text('Name')).toBe('Secret fern');
  });
});

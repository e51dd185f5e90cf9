import { expect, test } from 'vitest';
import { TOKEN } from '../../../support/service.js';
import { ConsolePage, describeConsole } from './console-page.js';

const SIGNED_OUT = { token: '' };

/** Every text in the storage of the browser. */
async function stored({ page }: ConsolePage): Promise<string> {
  return page.evaluate(() =>
    [...Object.values(sessionStorage), ...Object.values(localStorage), document.cookie].join(),
  );
}

async function becomesReady(console: ConsolePage): Promise<void> {
  await console.reads('No plants yet');
}

async function asksForToken(console: ConsolePage): Promise<void> {
  await console.control('textbox', 'Access token').waitFor();
}

describeConsole('sign-in', () => {
  test('takes a pasted token, which the tab keeps and no other one, and none from the address, which a history keeps', async () => {
    const at = `#token=${TOKEN}`;
    const console = await ConsolePage.open({ ...SIGNED_OUT, hand: 'keyboard', at });

    await console.signIn(` Bearer ${TOKEN}\n`);
    await becomesReady(console);
    await console.page.evaluate(() => (location.hash = '#token=another'));
    await becomesReady(console);

    await console.page.reload();
    await becomesReady(console);
    await asksForToken(await ConsolePage.open(SIGNED_OUT, console.service, console.context));
    await console.press('button', 'Sign out');
    await asksForToken(console);
    expect(await stored(console)).not.toContain(TOKEN);
  });

  test('keeps a token for reloads and all tabs if the user wants that, until he signs out in one', async () => {
    const console = await ConsolePage.open({ ...SIGNED_OUT, hand: 'keyboard' });
    const other = await ConsolePage.open(
      { ...SIGNED_OUT, hand: 'keyboard' },
      console.service,
      console.context,
    );
    await asksForToken(other);

    await console.press('checkbox', 'Keep me signed in on this browser');
    await console.signIn();
    await becomesReady(console);
    await becomesReady(other);
    await console.page.reload();
    await becomesReady(console);

    await other.press('button', 'Sign out');
    await asksForToken(other);
    await asksForToken(console);
    expect(await stored(console)).not.toContain(TOKEN);
  });

  test('says that too many tokens were wrong, and when to try again', async () => {
    const console = await ConsolePage.open(SIGNED_OUT);
    const json = { error: 42900, message: 'Too many access tokens from this address were not valid.' };
    const headers = { 'Retry-After': '30' };
    await console.disturb('**/tokens/current', 'GET', async (route) =>
      route.fulfill({ status: 429, headers, json }),
    );

    await console.signIn();
    await console.shows('alert', 'were not valid. Try again in 30 s.');
    await console.press('button', 'Sign in');

    await becomesReady(console);
  });

  test('cannot be left without a token, says that one is wrong, and takes the next', async () => {
    const console = await ConsolePage.open({ ...SIGNED_OUT, hand: 'keyboard' });
    for (let turn = 0; turn < 3; turn += 1) await console.page.keyboard.press('Escape');

    for (const [token, problem] of [
      ['', 'Not a valid access token'],
      ['naïve €', 'Not a valid access token'],
      ['wrong', 'Check that you copied all of it'],
      ['wrong-again', 'Check that you copied all of it'],
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

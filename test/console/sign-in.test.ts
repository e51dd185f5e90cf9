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

  test('takes the token of a link, and leaves it neither in the address nor in the history nor in the storage', async () => {
    const console = await ConsolePage.open();
    await becomesReady(console);

    expect(console.page.url()).toBe(`${console.service.url}/console/`);
    expect(await stored(console)).not.toContain(TOKEN);
    expect(await console.page.evaluate(() => JSON.stringify(history.state))).toBe('null');
    await console.page.goBack();
    expect(console.page.url()).toBe('about:blank');
  });

  test('asks for a token where the link has none', async () => {
    const console = await ConsolePage.open(SIGNED_OUT);

    for (const link of ['#token=', '#token=%', '#token=%E2%82%AC', '#token=two%20words']) {
      await console.goTo(link);
      await asksForToken(console);
      expect(console.page.url()).toBe(`${console.service.url}/console/`);
      await console.page.goto('about:blank');
    }
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

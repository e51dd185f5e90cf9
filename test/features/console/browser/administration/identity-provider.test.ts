import { createHash } from 'node:crypto';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startBoth } from '../../../../support/network/identity-provider.js';
import { ConsolePage, describeConsole } from '../console-page.js';

/** Opens the console of a service that has an identity provider. */
async function open() {
  const { provider, service } = await startBoth({ OIDC_CLIENT_ID: 'console' });
  await service.create({ id: 1, name: 'Aloe' });
  const expected = [new RegExp(`^(The page has asked|5\\d\\d) ${provider.url}/`)];
  const console = await ConsolePage.open({ hand: 'keyboard', token: '', expected }, service);
  return { provider, service, console, button: `Sign in with ${new URL(provider.url).host}` };
}

/** Signs in at the provider, in a window of its own that closes. */
async function signIn(console: ConsolePage, button: string): Promise<void> {
  const opening = console.page.waitForEvent('popup');
  await console.press('button', button);
  const popup = await opening;
  if (!popup.isClosed()) await popup.waitForEvent('close');
}

describeConsole('sign-in at an identity provider', () => {
  test('happens in another window, with PKCE and without a secret', async () => {
    const { provider, service, console, button } = await open();
    const { page } = console;
    const exchanging = page.waitForRequest(`${provider.url}/token`);

    await signIn(console, button);
    await console.row('Aloe').waitFor();

    const asked = provider.requests.find((path) => path.startsWith('/authorize?')) ?? '';
    const authorization = Object.fromEntries(new URL(asked, provider.url).searchParams);
    const exchange = new URLSearchParams((await exchanging).postData() ?? '');
    const verifier = exchange.get('code_verifier') ?? '';
    expect(authorization).toEqual({
      response_type: 'code',
      client_id: 'console',
      redirect_uri: `${service.url}/console/`,
      scope: expect.stringContaining('plants:write'),
      state: expect.stringMatching(/.{43}/),
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    });
    expect(verifier).toMatch(/^[\w.~-]{43,128}$/);
    expect([...exchange.keys()].toSorted()).toEqual([
      'client_id',
      'code',
      'code_verifier',
      'grant_type',
      'redirect_uri',
    ]);
    expect((await exchanging).headers()['authorization']).toBeUndefined();
    expect(page.url()).toBe(`${service.url}/console/`);
    await page.reload();
    await console.row('Aloe').waitFor();
  });

  test('is repeated when the token has expired, and then saves what was typed', async () => {
    const { service, console, button } = await open();
    await signIn(console, button);
    await console.press('button', 'Edit Aloe');
    await console.fill('Name', 'Aloe vera');
    onTestFinished(() => void vi.useRealTimers());
    vi.setSystemTime(Date.now() + 2 * 3_600_000);

    await console.press('button', 'Save');
    await console.reads('Your access has ended.');
    expect(await console.page.locator('dialog').count()).toBe(2);
    await signIn(console, button);

    await console.says('Saved “Aloe vera”');
    expect(await service.plants()).toMatchObject([{ name: 'Aloe vera' }]);
  });

  test('that the provider refuses says why, and can be tried again', async () => {
    const { provider, console, button } = await open();
    provider.answerNext({ error: 'access_denied', error_description: 'Not you.' });

    await signIn(console, button);
    await console.shows('alert', 'Not you.');
    await signIn(console, button);

    await console.row('Aloe').waitFor();
  });

  test('does not take the code of another issuer', async () => {
    const { provider, console, button } = await open();
    provider.answerNext({ code: 'code', iss: 'https://login.example.org' });

    await signIn(console, button);
    await console.shows('alert', /Sign-in at .* failed: unexpected "iss"/);

    expect(provider.requests).not.toContain('/token');
    provider.answerNext({ code: 'code', iss: provider.url });
    await signIn(console, button);
    await expect.poll(() => provider.requests).toContain('/token');
  });

  test('takes metadata only of its issuer, and shows the provider a window that cannot lead the console elsewhere', async () => {
    const { provider, console, button } = await open();
    const endpoints = {
      authorization_endpoint: `${provider.url}/authorize`,
      token_endpoint: `${provider.url}/token`,
    };
    let issuer = 'https://login.example.org';
    provider.answerInstead((request, response) => {
      const isPage = request.url?.startsWith('/authorize?');
      response.setHeader('Access-Control-Allow-Origin', '*');
      response.end(isPage ? 'Who are you?' : JSON.stringify({ issuer, ...endpoints }));
    });
    await signIn(console, button);
    await console.shows('alert', /Sign-in at .* failed: .*"issuer"/);

    issuer = provider.url;
    const opening = console.page.waitForEvent('popup');
    await console.press('button', button);
    const popup = await opening;
    await popup.getByText('Who are you?').waitFor();

    expect(await popup.evaluate(() => window.opener as unknown)).toBeNull();
  });

  test('that fails at the provider leaves no window behind, and a token can be pasted', async () => {
    const { provider, console, button } = await open();
    provider.answerInstead((_request, response) =>
      response.writeHead(500, { 'Access-Control-Allow-Origin': '*' }).end('Out of order'),
    );

    await signIn(console, button);
    await console.shows('alert', /Sign-in at .* failed: .*unexpected HTTP status code/);
    await console.signIn();

    await console.row('Aloe').waitFor();
  });
});

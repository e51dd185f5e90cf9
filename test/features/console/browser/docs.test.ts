import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { startService, TOKEN } from '../../../support/service.js';
import { ConsolePage, describeConsole } from './console-page.js';

const LARGE = '9007199254740993';

/** The reference page at an operation, for somebody who has not signed in. */
async function openDocs(operation: string, plants: readonly object[] = []): Promise<ConsolePage> {
  const docs = await ConsolePage.open({ token: '', hand: 'keyboard', at: `../docs#${operation}`, plants });
  await docs.page.getByRole('button', { name: 'Send' }).waitFor();
  return docs;
}

async function signIn(docs: ConsolePage): Promise<void> {
  await docs.use('button', docs.page.getByRole('banner').getByRole('button', { name: 'Sign in' }));
  await docs.signIn();
  await docs.closesDialog();
}

/** Sends the form, and returns the response as the page shows it. */
async function send(docs: ConsolePage): Promise<{ status: string; body: string }> {
  await docs.press('button', 'Send');
  const result = docs.page.getByRole('status');
  const status = (await result.getByText(/^\d{3} /).textContent()) ?? '';
  return { status, body: (await result.getByLabel('Body', { exact: true }).allTextContents()).join() };
}

describeConsole('the reference page', () => {
  test('sends a body and shows the response with every digit', async () => {
    const docs = await openDocs('createPlant');
    await signIn(docs);

    await docs.fill('Body', `{"id":${LARGE},"name":"Aloe"}`);
    expect(await send(docs)).toEqual({ status: '200 OK', body: '{\n  "name": "Aloe"\n}' });

    await docs.press('link', /Read a plant/);
    await docs.focuses('Read a plant');
    await docs.fill('id', LARGE);
    expect((await send(docs)).body).toBe(`{\n  "id": ${LARGE},\n  "name": "Aloe"\n}`);
    await docs.fill('id', '1');
    expect((await send(docs)).status).toBe('404 Not Found');
  });

  test('sends only what was filled in', async () => {
    const docs = await openDocs('listPlants', [{ id: 1, name: 'Aloe', tag: 'a&b' }]);
    await signIn(docs);
    const asked: string[] = [];
    docs.page.on('request', (request) => {
      const path = request.url().slice(docs.service.url.length);
      // What the token may do is asked as soon as it is used.
      if (path !== '/tokens/current') asked.push(path);
    });

    await send(docs);
    await docs.fill('tag', 'a&b');
    await docs.page.getByLabel('total').selectOption('true');
    const { body } = await send(docs);

    expect(asked).toEqual(['/plants', '/plants?total=true&tag=a%26b']);
    expect(body).toContain('Aloe');
    await docs.page.locator('[role=status] summary', { hasText: 'Headers' }).click();
    await docs.page.getByText('x-total-count: 1').waitFor();
  });

  test('shows lines as they are, and of a long response only the beginning', async () => {
    const plants = Array.from({ length: 80 }, (_, id) => ({ id, name: 'x'.repeat(16_000) }));
    const docs = await openDocs('importPlants', plants);
    await signIn(docs);

    await docs.fill('Body', `{"id":${LARGE},"name":"Aloe"}\n{"id":7.5,"name":"Aloe"}\n`);
    expect((await send(docs)).body).toMatch(/^\{"line":1,"status":200\}\n\{"line":2,"status":400,/);

    await docs.press('link', /Read all plants/);
    const { body } = await send(docs);
    expect(body).toHaveLength(1_000_000);
    await docs.reads('Only the first part of the body is shown.');
  });

  test('can be read by anyone, however deep, and says what a request lacks', async () => {
    const docs = await openDocs('batchPlants');
    for (const name of ['Fields', 'PatchPlant'])
      await docs.page.locator('summary', { hasText: name }).first().click();
    await docs.reads('As PATCH /plants/{id}.');

    await docs.press('link', /Delete a plant/);
    await docs.focuses('Delete a plant');
    await docs.press('button', 'Send');
    await docs.page.locator('input:invalid:focus').waitFor();

    await docs.press('link', /Count plants/);
    await docs.focuses('Count plants');
    await docs.reads('Not signed in');
    expect((await send(docs)).status).toBe('401 Unauthorized');

    await docs.press('link', /Whether the service can serve requests/);
    await docs.focuses('Whether the service can serve requests');
    expect(await docs.page.getByText('Not signed in').count()).toBe(0);
    expect((await send(docs)).status).toBe('200 OK');

    await docs.context.setOffline(true);
    await docs.press('button', 'Send');
    await docs.shows('status', 'Cannot reach the service.');
  });

  test('needs no sign-in of its own', async () => {
    const console = await ConsolePage.open({ token: '' });
    await console.press('checkbox', 'Keep me signed in on this browser');
    await console.signIn();
    await console.closesDialog();

    const docs = await ConsolePage.open(
      { token: '', at: '../docs#countPlants' },
      console.service,
      console.context,
    );

    expect(await send(docs)).toEqual({ status: '200 OK', body: '{\n  "count": 0\n}' });
  });

  test('has a command that does the same in a shell', async () => {
    const docs = await openDocs('putPlant');
    await docs.fill('id', '5');
    await docs.fill('Body', `{"name":"Mother-in-law's tongue \\" $HOME"}`);

    const command = await docs.page.getByLabel('Command', { exact: true }).textContent();
    await promisify(execFile)('sh', ['-c', command ?? ''], { env: { ...process.env, TOKEN } });

    const { body } = await docs.service.send('GET', '/plants/5');
    expect(body).toMatchObject({ name: `Mother-in-law's tongue " $HOME` });
  });

  test.for(['on', 'off'] as const)('leads to the console if there is one: %s', async (CONSOLE) => {
    const docs = await ConsolePage.open({ token: '', at: '../docs' }, await startService({ CONSOLE }));

    const views = docs.page.getByRole('banner').getByRole('link');
    await docs.page.getByRole('heading', { name: 'API reference' }).waitFor();
    expect((await views.allTextContents()).map((name) => name.trim())).toEqual([
      'Plant store',
      ...(CONSOLE === 'on' ? ['Plants', 'Changes', 'Import and export', 'Tokens', 'Overview'] : []),
      'API reference',
    ]);
    if (CONSOLE === 'off') return;
    await docs.press('link', 'Overview');
    await docs.page.waitForURL(`${docs.service.url}/console/#/overview`);
  });
});

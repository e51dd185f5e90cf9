import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { startService, TOKEN } from '../../../support/service.js';
import { ConsolePage, describeConsole } from './console-page.js';

const LARGE = '9007199254740993';

/** What runs a sample of a language; nothing runs Go. */
const PROGRAMS = [
  ['curl', 'sh', '-c'],
  ['JavaScript', process.execPath, '--input-type=module', '--eval'],
  ['Python', 'python3', '-c'],
  ['Go', ''],
] as const;

const GO = `strings.NewReader(\`{
  "name": "Mother-in-law's \\\\\\"tongue\\" $HOME \` + "\`" + \`\${HOME}\` + "\`" + \` “🪴”",
  "tag": "Go"
}\`))
\tif err != nil {
\t\tpanic(err)
\t}
\trequest.Header.Set("Authorization", "Bearer "+os.Getenv("TOKEN"))
\trequest.Header.Set("If-None-Match", "*")
\trequest.Header.Set("Content-Type", "application/json")
\tresponse, err := http.DefaultClient.Do(request)
`;

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

const VIEWS = ['Plants', 'Activity', 'Import and export', 'Webhooks', 'Tokens', 'Overview'];

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
    await docs.page.getByLabel('total', { exact: true }).selectOption('true');
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

  test('has samples that do the same by other programs', async () => {
    const docs = await openDocs('putPlant');
    const name = `Mother-in-law's \\"tongue" $HOME \`\${HOME}\` “🪴”`;
    await docs.fill('id', '5');
    await docs.fill('If-None-Match', '*');
    const run = promisify(execFile);

    for (const [language, command, ...options] of PROGRAMS) {
      await docs.fill('Body', JSON.stringify({ name, tag: language }, undefined, 2));
      await docs.press('button', language);
      const sample = (await docs.page.getByLabel(`${language} sample`, { exact: true }).textContent()) ?? '';
      if (command === '') {
        expect(sample).toContain(GO);
        continue;
      }
      const env = { ...process.env, TOKEN };
      const done = await run(command, [...options, sample], { env }).catch((error: object) => error);
      if ('code' in done && done.code === 'ENOENT') continue;

      const { body } = await docs.service.send('GET', '/plants/5');
      expect(body, language).toMatchObject({ name, tag: language });
      await docs.service.send('DELETE', '/plants/5');
    }
  });

  test('finds operations by name and path, their parts and error values, and leads to them', async () => {
    const docs = await openDocs('createPlant');
    const links = docs.page.getByRole('navigation', { name: 'Operations' }).getByRole('link');
    const find = async (query: string) => {
      await docs.fill('Search', query, 'searchbox');
      return (await links.allTextContents()).map((text) => text.trim());
    };

    expect(await find('PUT /plants/{id}')).toEqual(['Create or replace a plant PUT /plants/{id}']);
    expect(await find('countpl')).toEqual(['Count plants GET /plants/count']);
    expect(await find('batch ifmatch')).toEqual([
      'Change many plants, all or none POST /plants/batch',
      'operations.ifMatch',
    ]);
    expect(await find('40901')).toEqual([
      'Revoke an access token DELETE /tokens/{id}',
      '40901 The token is the last valid one with admin.',
    ]);
    expect(await find('sort nowhere')).toEqual([]);
    await docs.shows('status', '0 operations found');

    await find('sort');
    await docs.press('link', 'sort');
    await expect.poll(() => docs.page.evaluate(() => document.activeElement?.id)).toBe('listPlants/sort');
    await docs.press('link', 'Link to tag');
    await docs.page.waitForURL(`${docs.service.url}/docs#listPlants/tag`);
    await docs.page.reload();
    await expect.poll(() => docs.page.evaluate(() => document.activeElement?.id)).toBe('listPlants/tag');
  });

  test('shows a pattern to those who ask for it, and prints the operation alone', async () => {
    const docs = await openDocs('listPlants/after');
    const { page } = docs;

    const pattern = page.locator('[id="listPlants/after"] details');
    expect(await pattern.textContent()).toBe('Pattern');
    await pattern.click();
    await expect.poll(() => pattern.textContent()).toMatch(/^Pattern\^/);

    await page.emulateMedia({ media: 'print' });
    for (const text of ['Sign in', 'Count plants', 'Send'])
      expect(await page.getByText(text).first().isVisible(), text).toBe(false);
    await page.getByRole('heading', { name: 'List plants' }).waitFor();
    await page.getByLabel('curl sample', { exact: true }).waitFor();
  });

  test('leads to both forms of the contract without JavaScript', async () => {
    const docs = await ConsolePage.open({ token: '', at: '../docs', context: { javaScriptEnabled: false } });

    const links = docs.page.getByRole('link');
    const found = [];
    for (const link of await links.all())
      found.push(await link.evaluate((element) => (element as HTMLAnchorElement).href));
    const paths = found.map((url) => url.slice(docs.service.url.length));

    expect(paths).toEqual(['/openapi.json', '/ieee754/openapi.json']);
    for (const path of paths)
      expect((await docs.service.request(path)).body).toMatchObject({ openapi: '3.1.0' });
  });

  test.for(['on', 'off'] as const)('leads to the console if there is one: %s', async (CONSOLE) => {
    const docs = await ConsolePage.open({ token: '', at: '../docs' }, await startService({ CONSOLE }));

    const views = docs.page.getByRole('banner').getByRole('link');
    await docs.page.getByRole('heading', { name: 'API reference' }).waitFor();
    expect((await views.allTextContents()).map((name) => name.trim())).toEqual([
      'Plant store',
      ...(CONSOLE === 'on' ? VIEWS : []),
      'API reference',
    ]);
    if (CONSOLE === 'off') return;
    await docs.press('link', 'Overview');
    await docs.page.waitForURL(`${docs.service.url}/console/#/overview`);
  });
});

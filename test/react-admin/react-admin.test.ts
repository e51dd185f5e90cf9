import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, inject, onTestFinished, test, vi } from 'vitest';
import { preview } from 'vite';
import { browserOfThisRun } from '../support/setup/browser.setup.js';
import { numberedLines } from '../support/plants.js';
import { importRequest, type Service, startService, TOKEN } from '../support/service.js';

const EXAMPLE = join(import.meta.dirname, '../../examples/react-admin');

/** The service that the page is built for. */
const SERVICE = 'http://127.0.0.1:3000';

const PATIENCE_MS = 15_000;

const PLANTS = [
  '{"id":-9007199254740993,"name":"Yucca","tag":"green"}',
  '{"id":7,"name":"Aloe"}',
  '{"id":9007199254740993,"name":"Fern","tag":"green"}',
];
const [YUCCA, ALOE, FERN] = ['-9007199254740993', '7', '9007199254740993'] as const;

/** The built page in a browser, which may ask nothing but its own origin and the service that allows that one. */
class AdminPage {
  /** The requests to the service, each as its method, path and query. */
  private readonly requests: string[] = [];
  private readonly problems: string[] = [];

  private constructor(
    readonly service: Service,
    readonly page: Page,
    private readonly origin: string,
  ) {
    page.on('pageerror', (error) => this.problems.push(error.message));
    page.on('request', (request) => {
      const url = new URL(request.url());
      if (![origin, service.url, 'null'].includes(url.origin)) this.problems.push(request.url());
      if (url.origin === service.url) this.requests.push(`${request.method()} ${url.pathname}${url.search}`);
    });
  }

  /** Opens the page, with a service that has these lines as plants, and signs in. */
  static async open(lines: string, fragment = '', token = TOKEN): Promise<AdminPage> {
    const server = await preview({ root: EXAMPLE, preview: { host: '127.0.0.1', port: 0 } });
    onTestFinished(async () => server.close());
    const { origin } = new URL(server.resolvedUrls?.local[0] ?? '');
    const service = await startService({ CORS_ORIGINS: origin });
    await service.request('/plants/import', importRequest(lines));
    const context = await (await browserOfThisRun()).newContext();
    context.setDefaultTimeout(PATIENCE_MS);
    await context.route(`${origin}/assets/*.js`, async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, body: (await response.text()).replaceAll(SERVICE, service.url) });
    });
    const opened = new AdminPage(service, await context.newPage(), origin);
    onTestFinished(async () => {
      await context.close();
      expect(opened.problems).toEqual([]);
    });
    await opened.goTo(fragment);
    await opened.signIn(token);
    return opened;
  }

  async goTo(fragment: string): Promise<void> {
    await this.page.goto(`${this.origin}/#/plants${fragment}`);
  }

  async signIn(token: string): Promise<void> {
    await this.fill('Access token', token);
    await this.press('Sign in');
  }

  async fill(name: string, text: string): Promise<void> {
    await this.page.getByRole('textbox', { name }).fill(text);
  }

  async press(name: string | RegExp): Promise<void> {
    await this.page.getByRole('button', { name }).click();
  }

  /** The requests that change something. */
  get writes(): string[] {
    return this.requests.filter((request) => !request.startsWith('GET '));
  }

  /** The limits of the lists that the page has asked for since the last time. */
  limits(): number[] {
    const lists = this.requests
      .splice(0)
      .join()
      .matchAll(/limit=(\d+)/g);
    return Array.from(lists, ([, limit]) => Number(limit));
  }

  /** Opens the form of a plant from the list. */
  async edit(id: string): Promise<void> {
    await this.page.getByRole('cell', { name: id, exact: true }).click();
  }

  async reads(text: string): Promise<void> {
    await this.page.getByText(text).waitFor();
  }

  /** Waits until the list has exactly the plants with these ids, in this order. */
  async lists(...ids: readonly string[]): Promise<void> {
    const cells = this.page.locator('tbody td:nth-child(2)');
    await vi.waitFor(async () => expect(await cells.allTextContents()).toEqual(ids), PATIENCE_MS);
  }
}

/** The decimal numbers from the first to the last one. */
function numbers(first: number, last: number): string[] {
  return Array.from({ length: last - first + 1 }, (_, index) => `${first + index}`);
}

describe.skipIf(inject('browser') === '')('react-admin', () => {
  test('asks for an access token, and again when that is revoked', async () => {
    const admin = await AdminPage.open(PLANTS.join('\n'), '', 'wrong');
    await admin.reads('The access token is not valid.');

    await admin.signIn(TOKEN);
    await admin.lists(YUCCA, ALOE, FERN);
    await admin.page.reload();
    await admin.lists(YUCCA, ALOE, FERN);

    await admin.page.evaluate(`sessionStorage.setItem('access-token', 'revoked')`);
    await admin.press('Refresh');
    await admin.page.getByRole('button', { name: 'Sign in' }).waitFor();
  });

  test('lists plants by id and by name, in both directions', async () => {
    const admin = await AdminPage.open(PLANTS.join('\n'));

    await admin.lists(YUCCA, ALOE, FERN);
    await admin.press('Sort by id descending');
    await admin.lists(FERN, ALOE, YUCCA);
    await admin.press('Sort by name ascending');
    await admin.lists(ALOE, FERN, YUCCA);
    await admin.press('Sort by name descending');
    await admin.lists(YUCCA, FERN, ALOE);
  });

  test('lists the plants with a tag by name', async () => {
    const admin = await AdminPage.open(PLANTS.join('\n'));

    await admin.fill('Tag', 'green');
    await admin.lists(FERN, YUCCA);
    expect(await admin.page.getByRole('button', { name: 'Sort by id' }).count()).toBe(0);
    await admin.press('Sort by name');
    await admin.press('Sort by name descending');
    await admin.lists(YUCCA, FERN);
  });

  test('searches words in names and tags', async () => {
    const admin = await AdminPage.open(PLANTS.join('\n'));

    await admin.fill('Search', 'FERN ree');
    await admin.lists(FERN);
    await admin.reads('1-1 of 1');
    await admin.fill('Search', 'GREEN');
    await admin.lists(YUCCA, FERN);
    await admin.press('Sort by name');
    await admin.lists(FERN, YUCCA);
    await admin.fill('Search', 'cactus');
    await admin.reads('No Plants found using the current filters.');
  });

  test('turns pages, and opens one whose address is kept', async () => {
    const admin = await AdminPage.open(numberedLines(2_057), '?page=206&perPage=10');

    await admin.lists(...numbers(2_051, 2_057));
    await admin.reads('2051-2057 of 2057');
    expect(admin.limits()).toEqual([1_000, 1_000, 50, 10]);
    await admin.press('Go to previous page');
    await admin.lists(...numbers(2_041, 2_050));
    expect(admin.limits()).toEqual([40, 10]);
    await admin.press('Go to next page');
    await admin.lists(...numbers(2_051, 2_057));
    expect(admin.limits()).toEqual([10]);
  });

  test('shows a whole page of plants that the service returns in several', async () => {
    const plant = { name: '\u{1F33F}'.repeat(16_384), tag: 'long'.repeat(4_096) };
    const lines = Array.from({ length: 30 }, (_, index) => JSON.stringify({ id: index + 1, ...plant }));
    const admin = await AdminPage.open(lines.join('\n'), '?page=1&perPage=25');

    await admin.lists(...numbers(1, 25));
    await admin.reads('1-25 of 30');
    expect(admin.limits()).toHaveLength(2);
  });

  test('creates, changes and deletes a plant with an exact id', async () => {
    const admin = await AdminPage.open('', '/create');
    const id = '9223372036854775807';

    await admin.fill('Id', id);
    await admin.fill('Name', 'Monstera');
    await admin.fill('Tag', 'typed and cleared');
    await admin.fill('Tag', '');
    await admin.press('Save');
    await admin.reads('Element created');
    expect(await admin.service.plants()).toMatchObject([{ id: BigInt(id), name: 'Monstera', tag: null }]);

    await admin.fill('Name', '');
    await admin.fill('Tag', 'green');
    await admin.press('Save');
    await admin.lists(id);
    expect(await admin.service.plants()).toMatchObject([{ id: BigInt(id), name: '', tag: 'green' }]);

    await admin.edit(id);
    await admin.fill('Tag', '');
    await admin.press('Save');
    await admin.lists(id);
    expect(await admin.service.plants()).toMatchObject([{ id: BigInt(id), name: '', tag: null }]);

    await admin.edit(id);
    await admin.press('Delete');
    await admin.press('Confirm');
    await vi.waitFor(async () => expect(await admin.service.plants()).toEqual([]), PATIENCE_MS);
    expect(admin.writes).toEqual([
      'POST /plants',
      `PATCH /plants/${id}`,
      `PATCH /plants/${id}`,
      `DELETE /plants/${id}`,
    ]);
  });

  test('overwrites and deletes nothing that somebody else has changed since', async () => {
    const admin = await AdminPage.open(PLANTS.join('\n'));
    await admin.edit(FERN);
    await admin.fill('Name', 'Mine');
    await admin.service.send('PATCH', `/plants/${FERN}`, { body: { name: 'Theirs' } });

    await admin.press('Save');
    await admin.reads('The resource does not meet the preconditions of the request.');
    await admin.press('Delete');
    await admin.press('Confirm');
    await vi.waitFor(() => expect(admin.writes).toContain(`DELETE /plants/${FERN}`), PATIENCE_MS);
    expect((await admin.service.send('GET', `/plants/${FERN}`)).text).toContain('Theirs');

    await admin.press('Refresh');
    await admin.page.locator('input[value=Theirs]').waitFor();
    await admin.fill('Name', 'Mine');
    await admin.press('Save');
    await admin.lists(YUCCA, ALOE, FERN);
    expect((await admin.service.send('GET', `/plants/${FERN}`)).text).toContain('Mine');
  });

  test('changes and deletes several plants at once, in a batch each', async () => {
    const admin = await AdminPage.open(PLANTS.join('\n'));
    const choose = async () => {
      for (const id of [YUCCA, FERN])
        await admin.page
          .getByRole('row', { name: `Select this row ${id} ` })
          .getByRole('checkbox')
          .check();
    };

    await choose();
    await admin.press('Remove tag');
    await admin.press('Confirm');
    // The page shows what it asks for before the service answers.
    const tags = async () => (await admin.service.plants()).map(({ tag }) => tag);
    await vi.waitFor(async () => expect(await tags()).toEqual([null, null, null]), PATIENCE_MS);
    await choose();
    await admin.press('Delete');
    await admin.press('Confirm');
    await admin.lists(ALOE);
    await vi.waitFor(async () => expect(await tags()).toEqual([null]), PATIENCE_MS);
    expect(admin.writes).toEqual(['POST /plants/batch', 'POST /plants/batch']);
  });
});

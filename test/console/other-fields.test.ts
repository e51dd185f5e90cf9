import { expect, test } from 'vitest';
import { startService, TOKEN } from '../support/service.js';
import { ConsolePage, describeConsole } from './console-page.js';

const LARGE = '9007199254740993';

describeConsole('a field of a plant that the console does not know', () => {
  /** Opens the console of a service whose plants seem to have such a field, and keeps what the console sends. */
  async function open(listed: string, read: string) {
    const service = await startService();
    await service.create({ id: 1, name: 'Aloe' });
    const console = await ConsolePage.open({ token: '' }, service);
    const sent: (string | null)[] = [];
    await console.page.route(/\/plants(\?|\/1$)/, async (route) => {
      const request = route.request();
      if (request.method() !== 'GET') {
        sent.push(request.postData());
        return route.fallback();
      }
      const response = await route.fetch();
      const field = `"unknown":${request.url().endsWith('/1') ? read : listed}`;
      const body = (await response.text()).replace('"id":1,', `"id":1,${field},`);
      return route.fulfill({ response, body });
    });
    await console.goTo(`#token=${TOKEN}`);
    return { service, console, sent };
  }

  test('is kept when a plant that someone else has deleted is created again', async () => {
    const { service, console, sent } = await open(LARGE, LARGE);
    await console.press('button', 'Edit Aloe');
    await console.control('button', 'Save').and(console.page.locator('[aria-disabled=false]')).waitFor();
    await console.fill('Name', 'Mine');
    await service.send('DELETE', '/plants/1');

    await console.press('button', 'Save');
    await console.press('button', 'Create it again');
    await console.says('Mine is saved.');

    expect(sent.at(-1)).toMatch(/"name":"Mine"/);
    expect(sent.at(-1)).toContain(`"unknown":${LARGE}`);
  });

  test('is kept when a deletion is undone', async () => {
    const { console, sent } = await open(LARGE, LARGE);
    await console.press('button', 'Delete Aloe');
    await console.press('button', 'Delete');

    await console.press('button', 'Undo');
    await console.says('The deletion is undone.');

    expect(sent.at(-1)).toContain(`"unknown":${LARGE}`);
  });

  test('counts where someone else has changed it: the plant is left alone', async () => {
    const { service, console } = await open('"before"', '"since"');
    await console.press('button', 'Delete Aloe');
    await console.press('button', 'Delete');

    await console.says('1 plant was changed or deleted by someone else');

    expect(await service.plants()).toHaveLength(1);
  });
});

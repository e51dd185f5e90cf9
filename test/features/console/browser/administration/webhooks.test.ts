import { expect, test } from 'vitest';
import { Receiver } from '../../../../support/network/receiver.js';
import { startWithHooks } from '../../../webhooks/hooks.js';
import { ConsolePage, describeConsole } from '../console-page.js';

const WEBHOOKS = '#/webhooks';

describeConsole('webhooks', () => {
  test('are made, tested, paused, resumed and deleted, and show what the receiver responds', async () => {
    const service = await startWithHooks();
    const receiver = await Receiver.start();
    const console = await ConsolePage.open({ at: WEBHOOKS }, service);
    await console.reads('No webhooks yet');

    await console.press('button', 'New webhook');
    await console.fill('Address', 'ftp://example.org');
    await console.press('button', 'Create webhook');
    await console.shows('alert', 'url must be an https address');
    await console.fill('Address', receiver.url);
    await console.press('checkbox', 'Plants that are deleted');
    await console.press('button', 'Create webhook');
    await console.reads('Copy it now.');
    expect(await console.text('Secret')).toMatch(/^whsec_/);
    await console.press('button', 'Done');

    await console.press('link', receiver.url);
    await console.reads('Nothing sent yet.');
    receiver.reactions.push((_request, response) => response.writeHead(500).end('The index is full.'));
    await console.press('button', 'Send test');
    await console.shows('alert', 'The receiver returned 500.');
    await console.page.locator('summary').click();
    await console.reads('The index is full.');
    await console.press('button', 'Send test');
    await console.says(/Test delivered: status 204 in \d+ ms/);

    await console.press('button', 'Pause');
    await console.says('Webhook paused');
    await service.create({ id: 1, name: 'Aloe' });
    await service.send('DELETE', '/plants/1');
    await console.press('button', 'Resume');
    await console.says('Webhook resumed');
    await console.row('1 change').waitFor();
    expect(receiver.taken.flatMap(({ changes }) => changes)).toMatchObject([{ kind: 'created' }]);
    await console.press('button', /^Send again from /);
    await console.press('button', 'Send again');
    await expect.poll(() => receiver.names).toEqual(['Aloe', 'Aloe']);
    receiver.reactions.push(...Array.from({ length: 1_000 }, () => 500));
    await service.create({ id: 2, name: 'Fern' });
    await console.reads('Next attempt');
    await console.page.reload();
    const mark = console.page.getByRole('img', { name: '1 with a problem' });
    await mark.waitFor();
    await console.press('link', 'Overview');
    await console.page.locator('main a', { hasText: new URL(receiver.url).host }).click();
    await console.reads('Next attempt');
    receiver.reactions.length = 0;
    await console.press('button', 'Retry now');
    await console.says('Trying again');
    await mark.waitFor({ state: 'detached' });
    await expect.poll(() => receiver.names).toEqual(['Aloe', 'Aloe', 'Fern']);

    const moved = await Receiver.start();
    await service.create({ id: 3, name: 'Hoya' });
    await expect.poll(() => receiver.names).toContain('Hoya');
    receiver.reactions.push(...Array.from({ length: 100 }, () => 500));
    await service.create({ id: 4, name: 'Yucca' });
    await console.reads('Next attempt');
    await console.press('button', 'Change address');
    await console.fill('Address', moved.url);
    await console.press('button', 'Save');
    await console.says('Address changed');
    await expect.poll(() => moved.names).toEqual(['Yucca']);

    await console.press('button', 'Rotate secret');
    await console.reads('keeps working for 24 hours');
    await console.press('button', 'Rotate secret');
    expect(await console.text('Secret')).toMatch(/^whsec_/);
    await console.press('button', 'Done');
    await console.press('button', 'Delete');
    await console.press('button', 'Delete');
    await console.reads('No webhooks yet');
    expect((await service.send('GET', '/webhooks')).body).toEqual([]);
  });

  test('are not offered to a token without the scope admin', async () => {
    const console = await ConsolePage.open({ scopes: ['plants:read'] });

    await console.reads('No plants yet');
    expect(await console.control('link', 'Webhooks').count()).toBe(0);
  });
});

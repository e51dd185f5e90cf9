import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { PLANT_LINES } from '../../support/plants.js';
import { importRequest, type Service, startService } from '../../support/service.js';
import { ConsolePage, describeConsole, HANDS, type Hand } from '../console-page.js';

const TRANSFER = '#/transfer';

async function startWithPlants(): Promise<Service> {
  const service = await startService();
  await service.request('/plants/import', importRequest(PLANT_LINES.join('')));
  return service;
}

/** Opens the console, and counts the files that it saves. */
async function open(hand: Hand) {
  const console = await ConsolePage.open({ hand, at: TRANSFER }, await startWithPlants());
  const saved: string[] = [];
  console.page.on('download', (download) => saved.push(download.suggestedFilename()));
  return { console, saved };
}

async function savesExactly(console: ConsolePage, button: string): Promise<void> {
  const { name, content } = await console.saves(button);
  expect(name).toBe('plants.ndjson');
  expect(content).toBe((await console.service.send('GET', '/plants/export')).text);
  await console.page
    .getByRole('status')
    .filter({ hasText: `5 plants are in plants.ndjson (${Buffer.byteLength(content)} bytes).` })
    .waitFor();
}

/** Lets the first answer to an export break off after a plant. */
async function breakOff({ page }: ConsolePage): Promise<void> {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'Content-Type': 'application/x-ndjson' });
    response.write(PLANT_LINES[0], () => response.destroy());
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await page.route(
    '**/plants/export',
    async (route) => route.continue({ url: `http://127.0.0.1:${port}/plants/export` }),
    { times: 1 },
  );
}

describeConsole('an export', () => {
  test.for(HANDS)('saves exactly what the service exports: by %s', async (hand) => {
    const { console } = await open(hand);

    await savesExactly(console, 'Export all plants');
  });

  test.for(HANDS)('that is cancelled saves nothing, and can begin again: by %s', async (hand) => {
    const { console, saved } = await open(hand);
    const { promise: isCancelled, resolve: goOn } = Promise.withResolvers<void>();
    await console.page.route('**/plants/export', async (route) => {
      await isCancelled;
      await route.continue().catch(() => undefined);
    });

    await console.press('button', 'Export all plants');
    await console.press('button', 'Cancel');
    await console.page.getByText('The export is cancelled. Nothing is saved.').waitFor();
    goOn();
    expect(saved).toEqual([]);

    await savesExactly(console, 'Export all plants');
  });

  test.for(HANDS)(
    'whose answer breaks off saves nothing, says so, and can be tried again: by %s',
    async (hand) => {
      const { console, saved } = await open(hand);
      await breakOff(console);

      await console.press('button', 'Export all plants');
      await console.page
        .getByRole('alert')
        .filter({ hasText: 'The export broke off. Nothing is saved.' })
        .waitFor();
      expect(saved).toEqual([]);

      await savesExactly(console, 'Try again');
    },
  );
});

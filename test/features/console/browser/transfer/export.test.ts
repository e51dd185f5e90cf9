import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { numberedLines, PLANT_LINES } from '../../../../support/plants.js';
import { importRequest, startService } from '../../../../support/service.js';
import { ConsolePage, describeConsole } from '../console-page.js';

const EXPORT = '**/plants/export';

/** Opens the console of a service with plants, and keeps the names of the files that it saves. */
async function open() {
  const service = await startService();
  await service.request('/plants/import', importRequest(PLANT_LINES.join('')));
  const console = await ConsolePage.open({ hand: 'keyboard', at: '#/transfer' }, service);
  const saved: string[] = [];
  console.page.on('download', (download) => saved.push(download.suggestedFilename()));
  return { console, saved };
}

async function savesExactly(console: ConsolePage, button: string): Promise<void> {
  await console.page.getByLabel('Format').selectOption('ndjson');
  const { name, content } = await console.saves(button);
  expect(name).toBe('plants.ndjson');
  expect(content).toBe((await console.service.send('GET', '/plants/export')).text);
  await console.shows('status', `Exported 5 plants to plants.ndjson (${Buffer.byteLength(content)} bytes)`);
}

describeConsole('an export', () => {
  test('that is cancelled saves nothing, and the next one saves exactly all', async () => {
    const { console, saved } = await open();
    const goOn = await console.hold(EXPORT, 'GET');

    await console.press('button', 'Export all plants');
    await console.press('button', 'Cancel');
    await console.reads('Export cancelled. No file was saved.');
    goOn();
    expect(saved).toEqual([]);

    await savesExactly(console, 'Export all plants');
  });

  test.for([
    ['en-US', ','],
    ['de-DE', ';'],
  ])('as CSV of %s is what an import takes: every digit and every text', async ([locale = '', separator]) => {
    const console = await ConsolePage.open(
      { at: '#/transfer', context: { locale } },
      (await open()).console.service,
    );
    const before = await console.service.plants();

    const { name, content } = await console.saves('Export all plants');

    expect(name).toBe('plants.csv');
    expect(content.slice(0, 13)).toBe(`\ufeff${['id', 'name', 'tag'].join(separator)}\n`);
    const { service, page } = await ConsolePage.open({ at: '#/transfer' });
    await page
      .getByLabel('Drop a file here')
      .setInputFiles({ name, mimeType: '', buffer: Buffer.from(content) });
    await page.getByRole('button', { name: 'Start import' }).click();
    await page.getByText('Import complete').waitFor();
    // In a CSV, an empty tag is no tag.
    const [{ tag: _, ...first } = { tag: null }, ...others] = before;
    expect(await service.plants()).toEqual([{ ...first, tag: null }, ...others]);
  });

  test('of a filtered list saves only what matches, all pages of it', async () => {
    const service = await startService();
    const lines = numberedLines(2_500);
    await service.request('/plants/import', importRequest(lines + PLANT_LINES.join('')));
    const matching = lines + PLANT_LINES.filter((line) => line.includes('houseplant')).join('');
    const console = await ConsolePage.open({ at: '#/plants?search=plant' }, service);
    await console.shows('status', 'in the name or tag');
    await console.press('button', 'Export');
    await console.reads('“\u2068plant\u2069” in the name or tag');

    await console.page.getByLabel('Format').selectOption('ndjson');
    const { content } = await console.saves('Export these plants');

    expect(content.split('\n').toSorted()).toEqual(matching.split('\n').toSorted());
    await console.press('link', 'All plants instead');
    await console.control('button', 'Export all plants').waitFor();
  });

  test('whose answer breaks off saves nothing, says so, and can be tried again', async () => {
    const { console, saved } = await open();
    const server = createServer((_request, response) => {
      response.writeHead(200, { 'Content-Type': 'application/x-ndjson' });
      response.write(PLANT_LINES[0], () => response.destroy());
    });
    onTestFinished(() => void server.close());
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}/plants/export`;
    await console.disturb(EXPORT, 'GET', async (route) => route.continue({ url }));

    await console.press('button', 'Export all plants');
    await console.shows('alert', 'The response was cut off. No file was saved.');
    expect(saved).toEqual([]);

    await savesExactly(console, 'Export all plants');
  });
});

import { expect, test } from 'vitest';
import { numberedLines } from '../../../../support/plants.js';
import type { Service } from '../../../../support/service.js';
import { BUSY, ConsolePage, describeConsole } from '../console-page.js';

const IMPORT = '**/plants/import';

/** Texts that a page easily takes for something else. */
const TEXTS = ['last \u{10FFFF}', '<img src=x onerror=alert(1)>', '\u202Eשלום', ' a;"b"\r\nc '] as const;

const IDS = [9_223_372_036_854_775_807n, -9_223_372_036_854_775_808n, 9_007_199_254_740_993n, 0n] as const;

/** Opens the console of a service that has the plant 7. */
async function open(options: Parameters<typeof ConsolePage.open>[0] = {}) {
  const console = await ConsolePage.open({ at: '#/transfer', plants: [{ id: 7, name: 'Mine' }], ...options });
  return { service: console.service, console };
}

async function choose({ page }: ConsolePage, name: string, content: string | Uint8Array): Promise<void> {
  await page
    .getByLabel('Drop a file here')
    .setInputFiles({ name, mimeType: '', buffer: Buffer.from(content as string) });
}

/** Chooses a file and imports it. */
async function importFile(console: ConsolePage, name: string, content: string | Uint8Array): Promise<void> {
  await choose(console, name, content);
  await console.press('button', 'Start import');
}

/** Waits until an import has ended. */
async function ends({ page }: ConsolePage, text: string): Promise<void> {
  await page.getByRole('region', { name: 'Import' }).getByText(text).waitFor();
}

/** The cells of the table of that name. */
async function cells({ page }: ConsolePage, caption: string): Promise<string[][]> {
  const rows = await page.getByRole('table', { name: caption }).locator('tbody tr').all();
  return Promise.all(rows.map(async (row) => row.locator('td, th').allTextContents()));
}

async function count(service: Service): Promise<unknown> {
  return (await service.send('GET', '/plants/count')).body;
}

describeConsole('an import', () => {
  const STORED = IDS.map((id, index) => ({ id, name: TEXTS[index], tag: index === 0 ? 'Tag' : null }));

  const NDJSON = [
    ...IDS.map(
      (id, index) =>
        `{"id":${id},"name":${JSON.stringify(TEXTS[index])}${index === 0 ? ',"tag":"Tag"' : ''}}`,
    ),
    '{"id":7,"name":"Theirs"}',
    '',
    '{"id":8}',
    'no plant <b>',
  ].join('\n');

  const CSV = [
    '\uFEFFid;name;tag',
    ...IDS.map((id, index) => `${id};"${TEXTS[index]?.replaceAll('"', '""')}";${index === 0 ? 'Tag' : ''}`),
    '7;Theirs;',
    '',
    '8.5;Half;',
  ].join('\r\n');

  const KINDS = [
    {
      name: 'plants.ndjson',
      format: 'NDJSON',
      content: NDJSON,
      refusals: [
        ['5', 'id 7', '{"id":7,"name":"Theirs"}'],
        ['7', 'name', '{"id":8}'],
        ['8', 'The ', 'no plant <b>'],
      ],
      correct: (text: string) =>
        text
          .replace('"id":7', '"id":70')
          .replace('"id":8', '"id":80,"name":"Eighth"')
          .replace('"text":', '"id":90,"name":'),
      corrected: [
        { id: 70n, name: 'Theirs', tag: null },
        { id: 80n, name: 'Eighth', tag: null },
        { id: 90n, name: 'no plant <b>', tag: null },
      ],
    },
    {
      name: 'plants.csv',
      format: 'CSV separated by “;”',
      content: CSV,
      refusals: [
        ['9', '“8.5', '8.5;Half;'],
        ['7', 'id 7', '7;Theirs;'],
      ],
      correct: (text: string) => text.replace(';7;', ';70;').replace(';8.5;', ';80;'),
      corrected: [
        { id: 70n, name: 'Theirs', tag: null },
        { id: 80n, name: 'Half', tag: null },
      ],
    },
  ];

  test.for(KINDS)(
    'of $name shows what is in it, stores it exactly, and gives back what is refused, to be corrected',
    async ({ name, format, content, refusals, correct, corrected }) => {
      const { service, console } = await open({ hand: 'keyboard' });
      const before = await service.plants();

      await choose(console, name, content);
      await ends(console, `${name}: ${format}, ${Buffer.byteLength(content)} bytes`);
      const preview = await cells(console, 'Preview');
      expect(preview.map(([id]) => id)).toEqual([...IDS, 7n].map(String));
      expect(preview[1]?.[1]).toBe(TEXTS[1]);
      expect(await service.plants()).toEqual(before);
      await console.press('button', 'Start import');
      await ends(console, 'Import complete');

      await ends(console, `4 plants imported, ${refusals.length} lines rejected`);
      await console.page.locator('.banner.partial').waitFor();
      expect(new Set(await service.plants())).toEqual(new Set([...before, ...STORED]));
      const shown = await cells(console, 'Rejected lines');
      expect(shown.map(([line, reason, text]) => [line, reason?.slice(0, 4), text])).toEqual(refusals);

      const file = await console.saves('Download rejected lines');
      expect(file.name).toBe(`rejected-${name}`);
      await console.press('button', 'Import another file');
      await importFile(console, file.name, correct(file.content));
      await ends(console, `${refusals.length} plants imported, 0 lines rejected`);
      await console.page.locator('.banner.done').waitFor();
      expect(new Set(await service.plants())).toEqual(new Set([...before, ...STORED, ...corrected]));
    },
  );

  test('of a large file is sent in parts, and can be cancelled and gone on with; nothing is stored twice', async () => {
    const { service, console } = await open({ hand: 'keyboard' });
    const parts: number[] = [];
    const { promise: isCancelled, resolve: goOn } = Promise.withResolvers<void>();
    await console.page.route(IMPORT, async (route) => {
      if (parts.push(route.request().postData()?.match(/\n/g)?.length ?? 0) === 2) await isCancelled;
      await route.continue().catch(() => undefined);
    });
    await importFile(console, 'plants.ndjson', numberedLines(25_000));
    await ends(console, '20,000 of 25,000 lines');
    await console.press('button', 'Cancel');
    await ends(console, 'Import cancelled');
    await ends(console, '19,999 plants imported, 1 line rejected');
    goOn();
    expect(await count(service)).toEqual({ count: 20_000 });

    await console.press('button', 'Resume');
    await ends(console, 'Import complete');

    await ends(console, '24,999 plants imported, 1 line rejected');
    expect(await count(service)).toEqual({ count: 25_000 });
    expect(parts).toEqual([20_000, 5_000, 5_000]);
  });

  test('goes on by itself from the first line without an answer, whatever happens', async () => {
    const { service, console } = await open({ expected: [/^503/] });
    const away = '{"line":2,"status":503,"error":50300,"message":"Away."}\n';
    // What is said for a second stays until it is seen: the time goes on only where the test says so.
    await console.page.clock.install();
    await console.page.clock.pauseAt(Date.now() + 60_000);

    for (const [message, happening] of [
      ['The service is busy.', () => BUSY],
      ['Cannot reach the service.', () => undefined],
      ['The response was cut off.', (line: string) => ({ body: `${line}{"line":2` })],
      ['Away.', (line: string) => ({ body: line + away })],
    ] as const) {
      await console.disturb(IMPORT, 'POST', async (route) => {
        const [line] = (await (await route.fetch()).text()).split(/(?<=\n)/);
        const answer = happening(line ?? '');
        await (answer === undefined ? route.abort('connectionreset') : route.fulfill(answer));
      });
      await importFile(console, 'plants.ndjson', numberedLines(9));
      await console.shows('status', message);
      await console.page.clock.fastForward(2_000);
      await ends(console, 'Import complete');
      await ends(console, '8 plants imported, 1 line rejected');
      await console.page.getByText('Retrying').waitFor({ state: 'detached' });
      await console.press('button', 'Import another file');
    }
    expect(await count(service)).toEqual({ count: 9 });
  });

  test('of a file that cannot be imported says why, and takes the next one', async () => {
    const { console } = await open();

    for (const [name, content, message] of [
      ['empty.csv', '', 'No plants in this file'],
      ['header.csv', 'id,name\n', 'No plants in this file'],
      ['plants.xlsx', 'PK\u0003\u0004\0', 'Not a text file. Save it as CSV (UTF-8) or NDJSON.'],
      ['quote.csv', '"id,name\n1,a', 'Line 1: A quote is never closed.'],
    ] as const) {
      await choose(console, name, content);
      await console.shows('alert', `${name}: ${message}`);
      expect(await console.control('button', 'Start import').count()).toBe(0);
    }
    await importFile(console, 'plants.csv', 'id,name\n1,Aloe');
    await ends(console, 'Import complete');
  });

  test('of Excel says its encoding, guesses columns, which the user can choose, tells what it will do, and does that', async () => {
    const { service, console } = await open({ plants: [{ id: 7, name: 'Mine', tag: 'shade' }] });
    const { page } = console;
    expect(await page.locator(':focus').and(page.locator('input')).count()).toBe(0);
    const rows = [
      '5;Köcherbaum;',
      '7;Neu;',
      '5;Zwei;',
      'abc;Nein;',
      '9;"Aloe "Gold"";x',
      '10;a;b;c',
      '11;"Agave',
    ];
    const text = `sep=;\r\nNummer;Bezeichnung;Art\r\n${rows.join('\r\n')}`;

    await choose(console, 'plants.csv', Buffer.from(text, 'latin1'));
    await ends(console, 'Windows-1252 (Excel)');
    await ends(console, 'Which column is what? Check it in the preview.');
    await ends(console, '7 lines · 1 new · 2 with an ID that is taken · 4 refused');
    await page.getByLabel('name', { exact: true }).selectOption('–');
    await ends(console, 'Choose the columns of ID and name.');
    await ends(console, 'Ignored columns: \u2068Bezeichnung\u2069');
    await page.getByLabel('name', { exact: true }).selectOption('Bezeichnung');
    await ends(console, '7 lines · 1 new · 2 with an ID that is taken · 4 refused');
    expect((await cells(console, 'Preview')).map(([id, name]) => [id, name])).toEqual([
      ['5', 'Köcherbaum'],
      ['7', 'Neu'],
      ['5', 'Zwei'],
    ]);
    const refused = (await cells(console, 'Rejected lines')).map(([line, reason]) => [
      line,
      reason?.slice(0, 9),
    ]);
    expect(refused).toEqual([
      ['6', '“abc” is '],
      ['7', 'After a c'],
      ['8', 'The row h'],
      ['9', 'A quote i'],
    ]);
    await console.press('checkbox', /^Update plants that exist/);
    await console.press('button', 'Start import');

    await ends(console, '1 plant imported, 2 updated, 4 lines rejected');
    expect(await service.plants()).toEqual([
      { id: 5n, name: 'Zwei', tag: null },
      { id: 7n, name: 'Neu', tag: 'shade' },
    ]);
  });

  test('takes a file that is dropped anywhere on the page', async () => {
    const { console } = await open();
    const { page } = console;
    const dataTransfer = await page.evaluateHandle(() => {
      const held = new DataTransfer();
      held.items.add(new File(['{"id":1,"name":"Aloe"}'], 'dropped.ndjson'));
      return held;
    });

    // A build gives classes of a view a longer name.
    const over = page.locator('[class*=drop][class*=over]');
    await page.dispatchEvent('h1', 'dragover', { dataTransfer });
    await over.waitFor();
    await page.dispatchEvent('h1', 'drop', { dataTransfer });

    await ends(console, 'dropped.ndjson: NDJSON');
    expect(await over.count()).toBe(0);
  });

  test('says how long it takes', async () => {
    const { console } = await open();
    const { page } = console;
    const [second, third] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const waits = [undefined, second.promise, third.promise];
    await page.route(IMPORT, async (route) => {
      await waits.shift();
      await route.continue();
    });
    await page.clock.install();
    await importFile(console, 'plants.ndjson', numberedLines(45_000));
    await ends(console, '20,000 of 45,000 lines');

    await page.clock.fastForward(10_000);
    second.resolve();

    await ends(console, '40,000 of 45,000 lines');
    await page.getByText(/^About \d+ s left$/).waitFor();
    third.resolve();
    await ends(console, 'Import complete');
  });

  test('goes on while the user is elsewhere, who sees how far it is, how it ends and where to look', async () => {
    const { service, console } = await open();
    const { page } = console;
    const goOn = await console.hold(IMPORT, 'POST');
    await importFile(console, 'plants.ndjson', '{"id":1,"name":"Aloe"}\n{"id":7,"name":"Theirs"}');
    await ends(console, 'Importing plants.ndjson');

    await console.press('link', 'Plants');
    await console.row('Mine').waitFor();
    await console.control('link', 'Import and export 0 %').waitFor();
    expect(await page.title()).toBe('0 % · Plants · Plant store');
    await page.evaluate(() => Object.defineProperty(document, 'hidden', { value: true, writable: true }));
    goOn();
    await expect.poll(async () => service.plants()).toHaveLength(2);
    await console.says('Import complete. 1 plant imported, 1 line rejected');
    expect(await page.title()).toBe('Done · Plants · Plant store');
    await page.evaluate(() => dispatchEvent(new Event('visibilitychange')));
    await expect.poll(async () => page.title()).toBe('Plants · Plant store');
    await console.press('button', 'Show');

    await ends(console, '1 plant imported, 1 line rejected');
  });
});

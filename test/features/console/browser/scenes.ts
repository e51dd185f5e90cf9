import type { BrowserContextOptions } from 'playwright-core';
import { TOKEN } from '../../../support/service.js';
import { issue, listed } from '../../../support/tokens.js';
import { ConsolePage } from './console-page.js';

/** What a user may have before him. */
export interface Scene {
  /** Its picture is `docs/console/<name>.png`, if it has one. */
  readonly name: string;
  /** The fragment of its view. */
  readonly at?: string;
  /** An empty text is nobody who has signed in. */
  readonly token?: string;
  /** Widths, or colours, of its pictures. */
  readonly pictures?: readonly Look[];
  /** Leads from the view to the scene, before `presses`. */
  readonly open?: (console: ConsolePage) => Promise<unknown>;
  /** Buttons that are pressed, one after the other. */
  readonly presses?: readonly string[];
  /** A text that the scene has when it is complete. */
  readonly shows?: string;
}

export type Look = keyof typeof LOOKS;

const edit = async (console: ConsolePage) => {
  await console.press('button', 'Edit Aloe vera');
  await console.isLoaded();
  await console.fill('Name', 'Aloe vera, large pot');
};

const select = async (console: ConsolePage) => {
  await console.press('checkbox', 'Select Aloe vera');
  await console.press('checkbox', 'Select Calathea orbifolia');
};

const WEBHOOK = { resource: 'plants', createdAt: '2026-03-01T08:30:00.000Z' };
const KINDS = ['created', 'changed', 'deleted'];
const LAST = 1_763_712_000_000_001;

const WEBHOOKS = [
  {
    ...WEBHOOK,
    id: 'a',
    url: 'https://shop.example.org/hooks/plants',
    kinds: KINDS,
    state: 'active',
    cursor: LAST,
    behind: 0,
    lastSuccessAt: '2026-03-02T10:15:02.000Z',
    lastFailureAt: '2026-03-01T22:40:10.000Z',
    lastFailure: 'The receiver returned 500.',
  },
  {
    ...WEBHOOK,
    id: 'b',
    url: 'https://search.example.org/index',
    kinds: KINDS,
    state: 'active',
    cursor: LAST,
    behind: 412,
    lastSuccessAt: '2026-03-02T09:58:41.000Z',
    lastFailureAt: '2026-03-02T10:15:09.000Z',
    lastFailure: 'The receiver returned 503.',
  },
  {
    ...WEBHOOK,
    id: 'c',
    url: 'https://labels.example.org/print',
    kinds: ['created'],
    state: 'paused',
    cursor: LAST,
    behind: 18,
  },
];

const DELIVERIES = [
  {
    status: 503,
    failure: 'The receiver returned 503.',
    changes: 100,
    milliseconds: 41,
    response: '{"error":"The index is being rebuilt."}',
  },
  { changes: 100, milliseconds: 15_000, failure: 'The receiver did not respond within 15 s.' },
  { status: 204, changes: 1, milliseconds: 12 },
  { status: 204, changes: 0, milliseconds: 9 },
  { status: 204, changes: 24, milliseconds: 18 },
].map((delivery, index) =>
  Object.assign(delivery, {
    id: `b_${index}`,
    at: `2026-03-02T10:1${9 - index}:09.000Z`,
    after: delivery.changes === 0 ? undefined : LAST,
  }),
);

/** Shows webhooks in all states, and with `url` one of them. */
const showWebhooks = async (console: ConsolePage, url?: string) => {
  for (const [path, json] of [
    ['webhooks', WEBHOOKS],
    ['webhooks/*/deliveries', DELIVERIES],
  ] as const)
    await console.disturb(`**/${path}`, 'GET', async (route) => route.fulfill({ json }), Infinity);
  await console.press('link', 'Webhooks');
  if (url !== undefined) await console.press('link', url);
};

/** Every view and every dialog. A new one is a line. */
export const SCENES: readonly Scene[] = [
  { name: 'sign-in', token: '', pictures: ['light'] },
  { name: 'plants', pictures: ['light', 'dark', 'narrow'] },
  {
    name: 'plants-empty',
    at: '#/transfer',
    open: async (console) => {
      for (const { id } of await console.service.plants())
        await console.service.send('DELETE', `/plants/${id}`);
      await console.press('link', 'Plants');
    },
    shows: 'Import a file',
  },
  { name: 'tags', at: '#/tags', pictures: ['light', 'narrow'], shows: 'windowsill' },
  { name: 'tag-rename', at: '#/tags', presses: ['Rename office'] },
  { name: 'go-to', open: async ({ page }) => page.keyboard.press('Control+k'), shows: 'Page, name, tag' },
  { name: 'keys', open: async ({ page }) => page.keyboard.press('?'), shows: 'Enable single-key' },
  { name: 'plants-selected', open: select },
  { name: 'plants-tag', open: select, presses: ['Tag …'] },
  { name: 'plants-delete', open: select, presses: ['Delete …'] },
  { name: 'plants-undo', presses: ['Delete Aloe vera', 'Delete'], shows: 'Undo' },
  {
    name: 'plants-changed',
    open: async (console) => {
      await console.row('Aloe vera').waitFor();
      await console.service.create({ id: 100, name: 'Theirs' });
    },
    shows: '1 plant changed',
  },
  {
    name: 'activity',
    pictures: ['light', 'dark', 'narrow'],
    open: async (console) => {
      const service = console.service;
      for (const name of ['Greenhouse', 'CI import'])
        await service.send('POST', '/tokens', { body: { name, scopes: ['plants:write'] } });
      const [own, greenhouse, importer] = await listed(service);
      const events = [
        ...Array.from({ length: 240 }, (_, index) => [
          40,
          importer,
          'created',
          100 + index,
          'Fern',
          'nursery',
        ]),
        [12, greenhouse, 'created', 6, 'Ficus lyrata', 'living room'],
        [12, greenhouse, 'changed', 6, 'Ficus lyrata, large pot', 'office'],
        [12, greenhouse, 'deleted', 9, 'Sansevieria trifasciata', 'bedroom'],
        [3, own, 'changed', 1, 'Aloe vera', 'kitchen'],
      ] as const;
      const body = events.map(([minutes, token, kind, id, name, tag], cursor) => {
        const at = new Date(Date.now() - Number(minutes) * 60_000).toISOString();
        const change = { cursor, at, kind, by: Object(token).id as string, plant: { id, name, tag } };
        return `data: ${JSON.stringify(change)}\n\n`;
      });
      await console.disturb(
        '**/changes?*',
        'GET',
        async (route) => route.fulfill({ contentType: 'text/event-stream', body: body.join('') }),
        Infinity,
      );
      await console.press('link', 'Activity');
    },
    shows: 'kitchen',
  },
  {
    name: 'plant-read-only',
    token: '',
    open: async (console) => {
      const { secret } = await issue(console.service, ['plants:read']);
      await console.signIn(secret);
      await console.reads('Read-only access');
    },
    presses: ['Open Aloe vera'],
  },
  {
    name: 'plant-add',
    open: async (console) => {
      await console.press('button', 'Add plant');
      await console.fill('ID', 'x');
    },
    presses: ['Save'],
    shows: 'The ID must be',
  },
  { name: 'plant-edit', pictures: ['light'], open: edit },
  {
    name: 'plant-conflict',
    pictures: ['narrow'],
    open: async (console) => {
      await edit(console);
      await console.service.send('PUT', '/plants/1', { body: { name: 'Aloe vera', tag: 'kitchen' } });
    },
    presses: ['Save'],
    shows: 'Which version do you want to keep?',
  },
  {
    name: 'plant-outdated',
    open: async (console) => {
      await edit(console);
      await console.service.send('DELETE', '/plants/1');
    },
    shows: 'Someone else deleted this plant',
  },
  {
    name: 'plant-offline',
    open: async (console) => {
      await edit(console);
      await console.context.setOffline(true);
    },
    presses: ['Save'],
    shows: 'Cannot reach',
  },
  { name: 'transfer', at: '#/transfer' },
  { name: 'export-filtered', at: '#/transfer?name=Aloe&tag=windowsill', shows: 'All plants instead' },
  {
    name: 'import',
    at: '#/transfer',
    pictures: ['light', 'narrow'],
    open: async ({ page }) => {
      const lines = ['id;name;tag', '20;Hoya carnosa;balcony', '1;Aloe ferox;', 'fern;Nephrolepis;bathroom'];
      const file = { name: 'plants.csv', mimeType: 'text/csv', buffer: Buffer.from(lines.join('\n')) };
      await page.getByLabel('Drop a file here').setInputFiles(file);
    },
    presses: ['Start import'],
    shows: 'Download rejected lines',
  },
  {
    name: 'tokens',
    pictures: ['light', 'narrow'],
    open: async (console) => {
      await issue(console.service, ['metrics:read'], new Date('2101-01-01'));
      await issue(console.service, ['plants:read', 'plants:write'], new Date(Date.now() + 1e8));
      const { id } = await issue(console.service, ['plants:read']);
      await console.service.send('DELETE', `/tokens/${id}`);
      await console.goTo('#/tokens');
    },
    shows: 'Revoked',
  },
  { name: 'token-new', at: '#/tokens', presses: ['Give access'] },
  {
    name: 'token-secret',
    at: '#/tokens',
    open: async (console) => {
      await console.press('button', 'Give access');
      await console.fill('Who or what for', 'greenhouse');
      await console.press('checkbox', 'See and export plants');
    },
    presses: ['Give access'],
    shows: 'Copy it now.',
  },
  { name: 'token-revoke', at: '#/tokens', presses: ['Revoke bootstrap'] },
  {
    name: 'webhooks',
    open: async (console) => showWebhooks(console),
    shows: 'labels.example.org',
  },
  {
    name: 'webhook',
    pictures: ['light'],
    open: async (console) => showWebhooks(console, 'https://search.example.org/index'),
    shows: 'did not respond',
  },
  { name: 'webhook-new', at: '#/webhooks', presses: ['New webhook'] },
  {
    name: 'overview',
    at: '#/overview',
    pictures: ['light', 'dark'],
    shows: 'created',
  },
  {
    name: 'overview-offline',
    at: '#/overview',
    open: async (console) => {
      await console.page.getByText('Write queue').waitFor();
      await console.context.setOffline(true);
    },
    shows: 'Cannot reach',
  },
];

const PLANTS = [
  ['Aloe vera', 'windowsill'],
  ['Calathea orbifolia', 'bathroom'],
  ['Chlorophytum comosum “Vittatum”', 'office'],
  ['Crassula ovata', 'windowsill'],
  ['Epipremnum aureum', 'office'],
  ['Ficus lyrata', 'living room'],
  ['Monstera deliciosa', 'living room'],
  ['Phalaenopsis amabilis', undefined],
  ['Sansevieria trifasciata', 'bedroom'],
  ['Zamioculcas zamiifolia', 'hallway'],
  ['Царица ночи (Epiphyllum oxypetalum)', 'balcony'],
] as const;

/** Names and tags that easily break a layout. */
const EXTREMES = [
  ['W'.repeat(1_000), 'M'.repeat(200)],
  ['word '.repeat(60), ' '],
  ['', ''],
  ['שלום \u202Eolleh', 'line\r\nline'],
] as const;

/** Opens a scene in a service with plants as one may have them, and with such as hardly anybody has. */
export async function openScene(
  { at = '', token = TOKEN, open, presses = [], shows }: Scene,
  context: BrowserContextOptions,
  isExtreme = false,
): Promise<ConsolePage> {
  const plants = PLANTS.map(([name, tag], index) => ({ id: index + 1, name, tag }));
  const extremes = EXTREMES.map(([name, tag], index) => ({ id: Number.MIN_SAFE_INTEGER + index, name, tag }));
  const all = isExtreme ? [...plants, ...extremes] : plants;
  const console = await ConsolePage.open({ at, token, context, plants: all });
  await open?.(console);
  for (const button of presses) await console.press('button', button);
  if (shows !== undefined) await console.page.getByText(shows).first().waitFor();
  await console.page.locator('[aria-busy=true]').waitFor({ state: 'detached' });
  return console;
}

/** What a browser is told for a look. */
export const LOOKS = {
  light: { colorScheme: 'light', viewport: { width: 800, height: 560 } },
  dark: { colorScheme: 'dark', viewport: { width: 800, height: 560 } },
  wide: { colorScheme: 'light', viewport: { width: 1_440, height: 900 } },
  'wide-dark': { colorScheme: 'dark', viewport: { width: 1_440, height: 900 } },
  narrow: { colorScheme: 'light', viewport: { width: 320, height: 640 } },
  'narrow-dark': { colorScheme: 'dark', viewport: { width: 320, height: 640 } },
  // 1,280 x 800 at 200 %.
  enlarged: { colorScheme: 'light', viewport: { width: 640, height: 400 } },
  forced: { colorScheme: 'dark', forcedColors: 'active', viewport: { width: 800, height: 560 } },
} as const satisfies Record<string, BrowserContextOptions>;

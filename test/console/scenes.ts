import type { BrowserContextOptions } from 'playwright-core';
import { TOKEN } from '../support/service.js';
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

/** How a page looks: `narrow` is 320 px wide, and light. */
export type Look = 'light' | 'dark' | 'narrow';

const edit = async (console: ConsolePage) => {
  await console.press('button', 'Edit Aloe vera');
  await console.isLoaded();
  await console.fill('Name', 'Aloe vera, large pot');
};

const select = async (console: ConsolePage) => {
  await console.press('checkbox', 'Select Aloe vera');
  await console.press('checkbox', 'Select Calathea orbifolia');
};

/** Every view and every dialog. A new one is a line. */
export const SCENES: readonly Scene[] = [
  { name: 'sign-in', token: '', pictures: ['light'] },
  { name: 'plants', pictures: ['light', 'dark', 'narrow'] },
  { name: 'plants-none', at: '#/plants?name=Zebra' },
  { name: 'plants-refused', at: `#/plants?tag=${'t'.repeat(64)}` },
  { name: 'plants-selected', open: select },
  { name: 'plants-tag', open: select, presses: ['Tag …'] },
  { name: 'plants-delete', open: select, presses: ['Delete …'] },
  { name: 'plants-undo', presses: ['Delete Aloe vera', 'Delete'], shows: 'Undo' },
  { name: 'plant-add', presses: ['Add plant', 'Save'], shows: 'The id must be' },
  { name: 'plant-edit', pictures: ['light'], open: edit },
  {
    name: 'plant-conflict',
    pictures: ['narrow'],
    open: async (console) => {
      await edit(console);
      await console.service.send('PUT', '/plants/1', { body: { name: 'Aloe vera', tag: 'kitchen' } });
    },
    presses: ['Save'],
    shows: 'Which version is to stay?',
  },
  {
    name: 'plant-gone',
    open: async (console) => {
      await edit(console);
      await console.service.send('DELETE', '/plants/1');
    },
    presses: ['Save'],
    shows: 'This plant was deleted meanwhile.',
  },
  {
    name: 'plant-offline',
    open: async (console) => {
      await edit(console);
      await console.context.setOffline(true);
    },
    presses: ['Save'],
    shows: 'cannot be reached',
  },
  { name: 'transfer', at: '#/transfer' },
  {
    name: 'import',
    at: '#/transfer',
    pictures: ['light', 'narrow'],
    open: async ({ page }) => {
      const lines = ['id;name;tag', '20;Hoya carnosa;balcony', '1;Aloe ferox;', 'fern;Nephrolepis;bathroom'];
      const file = { name: 'plants.csv', mimeType: 'text/csv', buffer: Buffer.from(lines.join('\n')) };
      await page.getByLabel('File of plants').setInputFiles(file);
    },
    presses: ['Import this file'],
    shows: 'Download all refusals',
  },
  { name: 'tokens', at: '#/tokens', pictures: ['light', 'narrow'] },
  { name: 'token-new', at: '#/tokens', presses: ['New token'] },
  {
    name: 'token-secret',
    at: '#/tokens',
    open: async (console) => {
      await console.press('button', 'New token');
      await console.fill('Name', 'greenhouse');
      await console.press('checkbox', 'plants:read');
    },
    presses: ['Make the token'],
    shows: 'Copy it now.',
  },
  { name: 'token-revoke', at: '#/tokens', presses: ['Revoke bootstrap'] },
  { name: 'overview', at: '#/overview', pictures: ['light', 'dark'], shows: 'Waiting writes' },
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
  ['月下美人 (Epiphyllum oxypetalum)', 'balcony'],
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
  narrow: { colorScheme: 'light', viewport: { width: 320, height: 640 } },
} as const;

import { type Service, startService } from '../support/service.js';
import type { ConsolePage } from './console-page.js';

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
  /** Leads from the view to the scene. */
  readonly open?: (console: ConsolePage) => Promise<void>;
}

/** How a page looks: `narrow` is 320 px wide, and light. */
export type Look = 'light' | 'dark' | 'narrow';

const save = async (console: ConsolePage) => {
  await console.press('button', 'Edit Aloe vera');
  await console.control('button', 'Save').and(console.page.locator('[aria-disabled=false]')).waitFor();
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
  {
    name: 'plants-selected',
    open: select,
  },
  {
    name: 'plants-tag',
    open: async (console) => {
      await select(console);
      await console.press('button', 'Tag …');
    },
  },
  {
    name: 'plants-delete',
    open: async (console) => {
      await select(console);
      await console.press('button', 'Delete …');
    },
  },
  {
    name: 'plants-undo',
    open: async (console) => {
      await console.press('button', 'Delete Aloe vera');
      await console.press('button', 'Delete');
      await console.says('Aloe vera is deleted.');
    },
  },
  {
    name: 'plant-add',
    open: async (console) => {
      await console.press('button', 'Add plant');
      await console.fill('Id', 'x');
      await console.press('button', 'Save');
      await console.page.getByText('The id must be').waitFor();
    },
  },
  { name: 'plant-edit', pictures: ['light'], open: save },
  {
    name: 'plant-conflict',
    pictures: ['narrow'],
    open: async (console) => {
      await save(console);
      await console.service.send('PUT', '/plants/1', { body: { name: 'Aloe vera', tag: 'kitchen' } });
      await console.press('button', 'Save');
      await console.page.getByText('Which version is to stay?').waitFor();
    },
  },
  {
    name: 'plant-gone',
    open: async (console) => {
      await save(console);
      await console.service.send('DELETE', '/plants/1');
      await console.press('button', 'Save');
      await console.page.getByText('This plant was deleted meanwhile.').waitFor();
    },
  },
  {
    name: 'plant-offline',
    open: async (console) => {
      await save(console);
      await console.context.setOffline(true);
      await console.press('button', 'Save');
      await console.dialog.getByText('cannot be reached').waitFor();
    },
  },
  { name: 'transfer', at: '#/transfer' },
  {
    name: 'import',
    at: '#/transfer',
    pictures: ['light', 'narrow'],
    open: async (console) => {
      const lines = ['id;name;tag', '20;Hoya carnosa;balcony', '1;Aloe ferox;', 'fern;Nephrolepis;bathroom'];
      const buffer = Buffer.from(lines.join('\n'));
      await console.page
        .getByLabel('File of plants')
        .setInputFiles({ name: 'plants.csv', mimeType: 'text/csv', buffer });
      await console.press('button', 'Import this file');
      await console.control('button', 'Download all refusals').waitFor();
    },
  },
  { name: 'tokens', at: '#/tokens', pictures: ['light', 'narrow'] },
  {
    name: 'token-new',
    at: '#/tokens',
    open: async (console) => console.press('button', 'New token'),
  },
  {
    name: 'token-secret',
    at: '#/tokens',
    open: async (console) => {
      await console.press('button', 'New token');
      await console.fill('Name', 'greenhouse');
      await console.press('checkbox', 'plants:read');
      await console.press('button', 'Make the token');
      await console.page.getByText('Copy it now.').waitFor();
    },
  },
  {
    name: 'token-revoke',
    at: '#/tokens',
    open: async (console) => console.press('button', 'Revoke bootstrap'),
  },
  {
    name: 'overview',
    at: '#/overview',
    pictures: ['light', 'dark'],
    open: async (console) => console.page.locator('.cards').waitFor(),
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
  ['月下美人 (Epiphyllum oxypetalum)', 'balcony'],
] as const;

/** Names and tags that easily break a layout. */
const EXTREMES = [
  ['W'.repeat(1_000), 'M'.repeat(200)],
  ['word '.repeat(60), ' '],
  ['', ''],
  ['שלום \u202Eolleh', 'line\r\nline'],
] as const;

/** Starts a service with plants as one may have them, or with such as hardly anybody has. */
export async function startGarden(isExtreme = false): Promise<Service> {
  const service = await startService();
  for (const [index, [name, tag]] of PLANTS.entries()) await service.create({ id: index + 1, name, tag });
  if (isExtreme) {
    for (const [index, [name, tag]] of EXTREMES.entries()) {
      await service.create(
        `{"id":-922337203685477580${index},"name":${JSON.stringify(name)},"tag":${JSON.stringify(tag)}}`,
      );
    }
  }
  return service;
}

/** What a browser is told for a look. */
export const LOOKS = {
  light: { colorScheme: 'light', viewport: { width: 800, height: 560 } },
  dark: { colorScheme: 'dark', viewport: { width: 800, height: 560 } },
  narrow: { colorScheme: 'light', viewport: { width: 320, height: 640 } },
} as const;

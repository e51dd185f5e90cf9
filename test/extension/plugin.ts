import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';

const pathOf = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Lists of the service, and those of this folder, which have a few lines more. */
const LISTS = new Map([
  [pathOf('../../src/features.ts'), pathOf('features.ts')],
  [pathOf('../../migrations/index.ts'), pathOf('migrations/index.ts')],
]);

/** The examples of docs/extending.md for a field, with the class that each is added to, by its file. */
const [, field = ''] = readFileSync(pathOf('../../docs/extending.md'), 'utf8').split('\n## A field\n');
const [entity = '', dto = ''] = Array.from(field.matchAll(/```ts\n([^]+?)```/g), ([, lines = '']) => lines);
const MEMBERS = new Map<string, readonly [name: string, members: string]>([
  [pathOf('../../src/plants/plant.entity.ts'), ['Plant', entity]],
  [pathOf('../../src/plants/dto/plant.dto.ts'), ['PlantDto', dto]],
]);

/** Adds members to the class of that name, wherever it is in its file. */
function withMembers(code: string, name: string, members: string): string {
  const rest = code.search(new RegExp(`^export class ${name}\\b`, 'm'));
  if (rest === -1) throw new Error(`There is no class ${name} to extend.`);
  const end = code.indexOf('\n}\n', rest);
  const isImported = /^import .*\bIsIn\b/m.test(code);
  const start = isImported ? '' : "import { IsIn } from 'class-validator';\n";
  return `${start}${code.slice(0, end)}\n\n${members}${code.slice(end + 1)}`;
}

/** Makes the extension a part of the service, as its files and a few lines in those of the service would. */
export const extension: Plugin = {
  name: 'extension',
  enforce: 'pre',
  async resolveId(source, importer) {
    if (!/\/(features|index)\.js$/.test(source)) return undefined;
    const resolved = await this.resolve(source, importer, { skipSelf: true });
    const extended = LISTS.get(resolved?.id ?? '');
    return importer === extended ? resolved : extended;
  },
  transform(code, id) {
    const extended = MEMBERS.get(id);
    return extended && withMembers(code, ...extended);
  },
};

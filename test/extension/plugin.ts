import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';

const pathOf = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Lists of the service, and those of this folder, which have a few lines more. */
const LISTS = new Map([
  [pathOf('../../src/features.ts'), pathOf('features.ts')],
  [pathOf('../../migrations/index.ts'), pathOf('migrations/index.ts')],
]);

/** The examples of CONTRIBUTING.md for a field, by the class that they are added to. */
const [, field = ''] = readFileSync(pathOf('../../CONTRIBUTING.md'), 'utf8').split('\n### A field\n');
const [entity = '', dto = ''] = Array.from(field.matchAll(/```ts\n([^]+?)```/g), ([, lines = '']) => lines);
const MEMBERS = new Map([
  [pathOf('../../src/plants/plant.entity.ts'), entity],
  [pathOf('../../src/plants/dto/plant.dto.ts'), dto],
]);

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
    const members = MEMBERS.get(id);
    if (members === undefined) return undefined;
    return `import { IsIn } from 'class-validator';\n${code.replace(/^\}$/m, `\n${members}}`)}`;
  },
};

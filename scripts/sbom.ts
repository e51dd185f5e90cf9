import { readFileSync } from 'node:fs';
import { json } from 'node:stream/consumers';

// Of the bill of materials that `npm sbom` writes, keeps what the service needs to run. npm's own `--omit dev` (11.19) also leaves
// out what development packages need, too: `pg` and `rxjs` would be missing.

interface Bill {
  readonly components: readonly { readonly 'bom-ref': string }[];
  readonly dependencies: readonly { readonly ref: string }[];
}

interface Lock {
  readonly packages: Readonly<Record<string, { readonly version: string; readonly dev?: true }>>;
}

const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as Lock;
const needed = new Set(
  Object.entries(packages)
    .filter(([, { dev }]) => !dev)
    .map(([folder, { version }]) => `${folder.replace(/^.*node_modules\//, '') || 'plant-store'}@${version}`),
);
const bill = (await json(process.stdin)) as Bill;
const components = bill.components.filter((component) => needed.has(component['bom-ref']));
const dependencies = bill.dependencies.filter(({ ref }) => needed.has(ref));
process.stdout.write(`${JSON.stringify({ ...bill, components, dependencies }, null, 2)}\n`);

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import openapiTypescript, { astToString, type OpenAPI3 } from 'openapi-typescript';
import { format, resolveConfig } from 'prettier';
import ts from 'typescript';

const FILE = join(import.meta.dirname, 'src/contract.ts');

if (import.meta.main) writeFileSync(FILE, await typesOf(await servedContract()));

/** The content of the file: the types of a contract. */
export async function typesOf(contract: OpenAPI3): Promise<string> {
  const types = await openapiTypescript(essenceOf(contract), {
    transform: ({ format: name }) =>
      name === 'int64' ? ts.factory.createKeywordTypeNode(ts.SyntaxKind.BigIntKeyword) : undefined,
    rootTypes: true,
    rootTypesNoSchemaPrefix: true,
  });
  const text = `// The types of the contract: npm run generate:client writes them.\n\n${astToString(types)}`;
  return format(text, { ...(await resolveConfig(FILE)), parser: 'typescript' });
}

/** The parts of the contract that the client uses: the schemas, and the queries of a list and of changes. */
function essenceOf({ paths = {}, webhooks: _, ...contract }: OpenAPI3): OpenAPI3 {
  const queries = ['/plants', '/plants/changes'].map((path) => {
    const { get } = Object(paths[path]) as { get: object };
    return [path, { get: { ...get, responses: {} } }];
  });
  const json = JSON.stringify({ ...contract, paths: Object.fromEntries(queries) as OpenAPI3['paths'] });
  return JSON.parse(json, (name, value: unknown) => (name === 'example' ? undefined : value)) as OpenAPI3;
}

/** The contract of the built service, from an instance that runs on an empty store for that alone. */
async function servedContract(): Promise<OpenAPI3> {
  const { createApp } =
    await built<typeof import('../../src/kernel/app/app.setup.js')>('kernel/app/app.setup.js');
  const { SETTINGS } = await built<typeof import('../../src/app.module.js')>('app.module.js');
  const { Configuration } = await built<typeof import('../../src/kernel/config/configuration.js')>(
    'kernel/config/configuration.js',
  );
  const store = mkdtempSync(join(tmpdir(), 'plant-store-'));
  const configuration = new Configuration(SETTINGS, {
    PORT: '0',
    DATABASE_URL: `sqlite:${join(store, 'plant-store.db')}`,
    LOG_LEVEL: 'silent',
  });
  const app = await createApp(configuration);
  try {
    await app.listen(0, '127.0.0.1');
    const response = await fetch(new URL('/openapi.json', await app.getUrl()));
    return (await response.json()) as OpenAPI3;
  } finally {
    await app.close();
    rmSync(store, { recursive: true });
  }
}

/** A file of the service as `npm run build` leaves it: the sources have decorators, which Node does not run. */
async function built<Module>(path: string): Promise<Module> {
  return (await import(`../../dist/src/${path}`)) as Module;
}

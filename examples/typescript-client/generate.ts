import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@hey-api/openapi-ts';

/** Where the client looks for the service unless it is told: the default settings. */
const ADDRESS = 'http://127.0.0.1:3000';

const [, , folder = join(import.meta.dirname, 'generated')] = process.argv;

await createClient({
  input: await servedContract(),
  output: {
    path: folder,
    // What comes with the client does not know the strictest options of the compiler. Its types are checked where they are used.
    header: ({ defaultValue }) => [...defaultValue, '// @ts-nocheck'],
    // Node runs the files as they are.
    module: { extension: '.ts' },
  },
  plugins: [
    '@hey-api/client-fetch',
    // int64 is a bigint.
    { name: '@hey-api/transformers', bigInt: true },
    { name: '@hey-api/sdk', transformer: true },
  ],
  logs: { file: false },
});

/** The contract of the built service, from an instance that runs on an empty store for that alone. */
async function servedContract(): Promise<Record<string, unknown>> {
  const { createApp } = await built<typeof import('../../src/app.setup.js')>('app.setup.js');
  const { SETTINGS } = await built<typeof import('../../src/app.module.js')>('app.module.js');
  const { Configuration } =
    await built<typeof import('../../src/config/configuration.js')>('config/configuration.js');
  const store = mkdtempSync(join(tmpdir(), 'plant-store-'));
  const configuration = new Configuration(SETTINGS, {
    PORT: '0',
    DATABASE_URL: `sqlite:${join(store, 'plant-store.db')}`,
    BASE_URL: ADDRESS,
    LOG_LEVEL: 'silent',
  });
  const app = await createApp(configuration);
  try {
    await app.listen(0, '127.0.0.1');
    const response = await fetch(new URL('/openapi.json', await app.getUrl()));
    return (await response.json()) as Record<string, unknown>;
  } finally {
    await app.close();
    rmSync(store, { recursive: true });
  }
}

/** A file of the service as `npm run build` leaves it: the sources have decorators, which Node does not run. */
async function built<Module>(path: string): Promise<Module> {
  return (await import(`../../dist/src/${path}`)) as Module;
}

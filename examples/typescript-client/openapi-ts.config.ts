import type { UserConfig } from '@hey-api/openapi-ts';

const ADDRESS = 'http://127.0.0.1:3000';

/** How the client is generated from the contract of a service that runs with the default settings. */
export default {
  input: `${ADDRESS}/openapi.json`,
  output: {
    path: 'examples/typescript-client/generated',
    // What comes with the client does not know the strictest options of the compiler. Its types are checked where they are used.
    header: ({ defaultValue }) => [...defaultValue, '// @ts-nocheck'],
    // Node runs the files as they are.
    module: { extension: '.ts' },
  },
  parser: {
    // The same client, whatever the address of the service that served the contract.
    patch: (contract) => void Object.assign(contract, { servers: [{ url: ADDRESS }] }),
  },
  plugins: [
    '@hey-api/client-fetch',
    // int64 is a bigint.
    { name: '@hey-api/transformers', bigInt: true },
    { name: '@hey-api/sdk', transformer: true },
  ],
  logs: { file: false },
} satisfies UserConfig;

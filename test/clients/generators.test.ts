import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { startService } from '../support/service.js';

const exec = promisify(execFile);
const HERE = import.meta.dirname;
const TSC = join(HERE, '../../node_modules/.bin/tsc');
const FOLDER = join(HERE, 'generated');

/** The commands that make clients of `contract.json`, and the file of each that a program imports. */
const GENERATORS = [
  ['openapi-typescript contract.json -o openapi-typescript/schema.ts', 'openapi-fetch.ts'],
  ['openapi-ts -i contract.json -o hey-api -c @hey-api/client-fetch --no-log-file', 'hey-api/index.ts'],
  [
    'swagger-typescript-api generate -p contract.json -o swagger-typescript-api -n api.ts',
    'swagger-typescript-api/api.ts',
  ],
  ['openapi-zod-client contract.json -o zod.ts', 'zod.ts'],
] as const;

describe('the contract', () => {
  beforeAll(() => {
    rmSync(FOLDER, { recursive: true, force: true });
    mkdirSync(FOLDER, { recursive: true });
    cpSync(join(HERE, 'scenarios'), FOLDER, { recursive: true });
  });

  test.for(GENERATORS)('makes a client that compiles: %s', async ([command, file]) => {
    const service = await startService();
    writeFileSync(join(FOLDER, 'contract.json'), (await service.request('/openapi.json')).text);
    const [program = '', ...args] = command.split(' ');
    await exec(join(HERE, 'node_modules/.bin', program), args, { cwd: FOLDER });
    const project = { extends: '../scenarios/tsconfig.json', files: [join(FOLDER, file)] };
    writeFileSync(join(FOLDER, 'tsconfig.json'), JSON.stringify(project));

    await exec(TSC, ['--project', FOLDER]).catch(({ stdout }: { stdout: string }) => expect(stdout).toBe(''));
  });
});

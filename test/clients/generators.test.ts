import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { startService, TOKEN } from '../support/service.js';
import type { Seen, Service } from './scenarios/scenario.js';

const exec = promisify(execFile);
const HERE = import.meta.dirname;
const TSC = join(HERE, '../../node_modules/.bin/tsc');

/** How each generator makes a client of `contract.json`, which the scenario of this name uses. */
const GENERATORS = {
  'openapi-fetch': ['openapi-typescript', 'contract.json', '-o', 'openapi-typescript/schema.ts'],
  'hey-api': [
    'openapi-ts',
    '-i',
    'contract.json',
    '-o',
    'hey-api',
    '-c',
    '@hey-api/client-fetch',
    '--no-log-file',
  ],
  'swagger-typescript-api': [
    'swagger-typescript-api',
    'generate',
    '-p',
    'contract.json',
    '-o',
    'swagger-typescript-api',
    '-n',
    'api.ts',
  ],
} as const;

/** The forms of the contract: its path, and a number or a string for an id. */
const FORMS = {
  numbers: { path: '', ids: [9_007_199_254_740_991, -7] },
  strings: { path: '/ieee754', ids: ['9007199254740995', '-9223372036854775808'] },
} as const;

describe.each(Object.keys(FORMS) as (keyof typeof FORMS)[])('the contract with int64s as %s', (form) => {
  const { path, ids } = FORMS[form];
  const [high, low] = ids;
  const folder = join(HERE, 'generated', form);

  beforeAll(() => {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    cpSync(join(HERE, 'scenarios'), folder, { recursive: true });
  });

  test.for(Object.entries(GENERATORS))('makes an exact client that compiles: %s', async ([name, command]) => {
    const service = await startService();
    const url = service.url + path;
    writeFileSync(join(folder, 'contract.json'), (await service.request(`${path}/openapi.json`)).text);
    const [program, ...args] = command;
    await exec(join(HERE, 'node_modules/.bin', program), args, { cwd: folder });
    const scenario = join(folder, `${name}.ts`);
    const options = ['--project', folder];
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ extends: '../../scenarios/tsconfig.json', files: [scenario] }),
    );
    await exec(TSC, options).catch(({ stdout }: { stdout: string }) => expect(stdout).toBe(''));

    const { default: run } = (await import(scenario)) as { default: (service: Service) => Promise<Seen> };
    const { listed, patched, batch, changes, streamed } = await run({ url, token: TOKEN, ids });

    expect(listed.map(({ id }) => id)).toEqual([low, high]);
    expect(patched.id).toBe(low);
    expect(batch).toMatchObject([{ status: 200, body: { id: low } }, { status: 204 }]);
    // The changes of one batch have any order.
    expect(changes.map(({ kind, plant }) => `${kind} ${String(plant.id)}`).toSorted()).toEqual([
      `changed ${low}`,
      `changed ${low}`,
      ...[`created ${low}`, `created ${high}`].toSorted(),
      `deleted ${high}`,
    ]);
    expect([high, low]).toContain(streamed.id);
    expect(await service.plants()).toEqual([{ id: BigInt(low), name: 'Agave', tag: 'b' }]);
  });
});

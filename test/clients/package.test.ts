import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest';
import { browserOfThisRun } from '../support/setup/browser.setup.js';
import { startService, TOKEN } from '../support/service.js';

const exec = promisify(execFile);
const HERE = import.meta.dirname;
const PACKAGE = join(HERE, '../../clients/typescript');
const SECRET = `whsec_${Buffer.from('a secret').toString('base64')}`;
const HIGH = '9007199254740995';
const LOW = '-9223372036854775808';

/** The versions of Node.js that the package runs on; packages have those besides that of the project. */
const NODES = {
  20: join(HERE, 'node_modules/node-20/bin/node'),
  22: join(HERE, 'node_modules/node-22/bin/node'),
  24: process.execPath,
};

/** What the scenario works with. */
function world(url: string) {
  const body = `{"type":"plants.changed","timestamp":"","data":[{"cursor":${HIGH},"plant":{"id":${LOW},"name":""}}]}`;
  const now = new Date();
  const headers = {
    'webhook-id': 'a',
    'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
    'webhook-signature': new Webhook(SECRET).sign('a', now, body),
  };
  return { url, token: TOKEN, ids: [HIGH, LOW], secret: SECRET, webhook: { headers, body } };
}

/** What the scenario sees everywhere. */
const SEEN = {
  listed: [LOW, HIGH],
  changed: LOW,
  refused: 41200,
  batch: [LOW, null],
  imported: 2_500,
  exported: 2_501,
  followed: [
    ['created', HIGH],
    ['created', LOW],
  ],
  webhook: [HIGH, LOW],
};

describe('the package of the TypeScript client', () => {
  const app = mkdtempSync(join(tmpdir(), 'plant-store-'));

  afterAll(() => rmSync(app, { recursive: true }));

  beforeAll(async () => {
    writeFileSync(join(app, 'package.json'), '{ "private": true, "type": "module" }');
    const { stdout } = await exec('npm', ['pack', '--json', '--pack-destination', app], { cwd: PACKAGE });
    const [packed] = JSON.parse(stdout.slice(stdout.indexOf('['))) as [{ filename: string; size: number }];
    expect(packed.size).toBeLessThan(20_000);
    await exec('npm', ['install', '--offline', '--no-audit', packed.filename], { cwd: app });
    cpSync(join(HERE, 'scenarios/package.js'), join(app, 'package.js'));
    writeFileSync(
      join(app, 'main.js'),
      `import * as client from 'plant-store-client';
       import { run } from './package.js';
       console.log(JSON.stringify(await run(client, JSON.parse(process.argv[2]))));`,
    );
  });

  test.for(Object.entries(NODES))('runs in Node.js %s', async ([version, node], { skip }) => {
    skip(!existsSync(node), 'This Node.js has no package for this platform.');
    const service = await startService();

    const { stdout } = await exec(node, ['main.js', JSON.stringify(world(service.url))], { cwd: app });

    expect((await exec(node, ['--version'])).stdout).toMatch(new RegExp(`^v${version}\\.`));
    expect(JSON.parse(stdout)).toEqual(SEEN);
  });

  test.skipIf(inject('browser') === '')('runs in a browser', async () => {
    const files = createServer(({ url = '' }, response) => {
      const file = join(app, url);
      const isScript = url.endsWith('.js') && existsSync(file);
      response.setHeader('Content-Type', isScript ? 'text/javascript' : 'text/html');
      response.end(isScript ? readFileSync(file) : '');
    });
    await new Promise<void>((resolve) => files.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void files.close());
    const origin = `http://127.0.0.1:${(files.address() as AddressInfo).port}`;
    const service = await startService({ CORS_ORIGINS: origin });
    const page = await (await browserOfThisRun()).newPage();
    onTestFinished(async () => page.close());
    await page.goto(origin);

    const seen = await page.evaluate(`(async () => {
      const client = await import('/node_modules/plant-store-client/dist/index.js');
      const { run } = await import('/package.js');
      return run(client, ${JSON.stringify(world(service.url))});
    })()`);

    expect(seen).toEqual(SEEN);
  });

  test.for([
    ['nodenext', 'nodenext'],
    ['esnext', 'bundler'],
    ['esnext', 'node10'],
  ] as const)(
    'has types that the strictest options take, with modules of %s by %s',
    async ([form, resolution]) => {
      mkdirSync(join(app, 'types'), { recursive: true });
      writeFileSync(
        join(app, 'types/program.ts'),
        `import { type ApiError, PlantStore, type StoredPlant } from 'plant-store-client';
       const { plants } = new PlantStore({ url: '', token: async () => '' });
       export const id: bigint = (await plants.get(1n)).plant.id;
       export async function* listed(signal: AbortSignal): AsyncGenerator<StoredPlant> {
         yield* plants.list({ tag: 'a', sort: '-name', signal });
       }
       // @ts-expect-error An id is a bigint.
       await plants.get(1).catch(({ error }: ApiError) => error === 40401);`,
      );
      const types = join(HERE, '../../node_modules/@types');
      const strict = ['--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess', '--noEmit'];
      // node10 is deprecated.
      const options = `--module ${form} --moduleResolution ${resolution} --ignoreDeprecations 6.0`.split(' ');
      const platform = '--target es2022 --lib es2022 --types node'.split(' ');

      const compiled = exec(
        join(HERE, '../../node_modules/.bin/tsc'),
        [...strict, ...options, ...platform, '--typeRoots', types, 'types/program.ts'],
        { cwd: app },
      );

      await compiled.catch(({ stdout }: { stdout: string }) => expect(stdout).toBe(''));
    },
  );
});

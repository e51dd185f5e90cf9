import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test, vi } from 'vitest';
import { allPlants, followPlants, plantStore } from '../../examples/typescript-client/client.js';
import {
  createPlant,
  deletePlant,
  getPlant,
  isReady,
  listPlants,
  patchPlant,
  putPlant,
} from '../../examples/typescript-client/generated/index.js';
import { readMetrics } from '../support/metrics.js';
import { startProxy } from '../support/network/tcp-proxy.js';
import { freePort } from '../support/postgres-server.js';
import { startService, TOKEN } from '../support/service.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const exec = promisify(execFile);
const FOLDER = fileURLToPath(new URL('../../examples/typescript-client', import.meta.url));
const IDS = [-(2n ** 63n), -(2n ** 53n) - 1n, -1n, 0n, 1n, 2n ** 53n + 1n, 2n ** 63n - 2n, 2n ** 63n - 1n];

async function startWithClient(token = TOKEN) {
  const service = await startService();
  return { service, client: plantStore(service.url, token) };
}

/** The files of a folder and its folders, with what they hold. */
function contents(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return Object.fromEntries(
    files.map(({ parentPath, name }) => {
      const path = join(parentPath, name);
      return [path.slice(folder.length), readFileSync(path, 'utf8')];
    }),
  );
}

describe('the example client', () => {
  test('creates, reads, lists, replaces, changes and deletes a plant', async () => {
    const { service, client } = await startWithClient();
    const id = -(2n ** 53n) - 1n;
    const path = { id };

    const created = await createPlant({ client, body: { id, name: 'Aloe', tag: 'a' } });
    const read = await getPlant({ client, path });
    const listed = await listPlants({ client });
    const replaced = await putPlant({ client, path, body: { name: 'Agave' } });
    const changed = await patchPlant({ client, path, body: { tag: 'b' } });

    expect(created.data).toMatchObject({ name: 'Aloe', tag: 'a' });
    expect(read.data).toMatchObject({ id, name: 'Aloe', tag: 'a' });
    expect(listed.data).toMatchObject([{ id, name: 'Aloe', tag: 'a' }]);
    expect(replaced.data).toMatchObject({ id, name: 'Agave' });
    expect(replaced.data).not.toHaveProperty('tag');
    expect(changed.data).toMatchObject({ id, name: 'Agave', tag: 'b' });
    expect(await service.plants()).toEqual([{ id, name: 'Agave', tag: 'b' }]);

    const deleted = await deletePlant({ client, path });

    expect(deleted.error).toBeUndefined();
    expect(await service.plants()).toEqual([]);
  });

  test('lists every plant, in pages of any size', async () => {
    const { client } = await startWithClient();
    for (const id of IDS) await createPlant({ client, body: { id, name: 'Aloe' }, throwOnError: true });

    const list = async (query: Parameters<typeof allPlants>[1]) => {
      const ids: bigint[] = [];
      for await (const { id } of allPlants(client, query)) ids.push(id);
      return ids;
    };

    for (const limit of [1, 3, 8, 100]) {
      expect(await list({ limit })).toEqual(IDS);
      expect(await list({ limit, after: `${2n ** 53n}` })).toEqual(IDS.filter((id) => id > 2n ** 53n));
      expect(await list({ limit, tag: 'none' })).toEqual([]);
    }
    expect(await list({ ids: IDS.slice(1, 3).toReversed() })).toEqual(IDS.slice(1, 3).toReversed());
  });

  test('lists every plant that a filter shows, whatever its name holds', async () => {
    const { client } = await startWithClient();
    const names = ['', ' +', '%2C', ',1', 'a&after=b', '草 \u{1F33F}', '\u{10FFFF}'];
    for (const [id, name] of names.entries())
      await putPlant({ client, path: { id: BigInt(-id) }, body: { name, tag: 'a' }, throwOnError: true });
    const found: string[] = [];

    for await (const { name } of allPlants(client, { limit: 1, tag: 'a', name: '' })) found.push(name);

    expect(found).toEqual(names);
  });

  test('changes a plant only as long as it is the one that was read', async () => {
    const { client } = await startWithClient();
    const path = { id: 2n ** 63n - 1n };
    const { response } = await putPlant({ client, path, body: { name: 'Aloe' }, throwOnError: true });
    const headers = { 'If-Match': response.headers.get('ETag') ?? '' };

    const first = await patchPlant({ client, path, headers, body: { name: 'Agave' } });
    const second = await patchPlant({ client, path, headers, body: { name: 'Yucca' } });

    expect(first.data?.name).toBe('Agave');
    expect(second.error?.error).toBe(41200);
  });

  test('follows changes, and goes on where a connection has broken off', async () => {
    const { service, client } = await startWithClient();
    const proxy = await startProxy(service.port);
    const changes = followPlants(plantStore(`http://127.0.0.1:${proxy.port}`, TOKEN));
    const first = changes.next();
    const id = 2n ** 63n - 1n;
    await vi.waitUntil(async () => (await readMetrics(service)).get('plant_store_changes_followers') === 1, {
      timeout: 10_000,
    });

    await createPlant({ client, body: { id, name: 'Aloe' }, throwOnError: true });
    const created = await first;
    proxy.leadTo(service.port);
    await putPlant({ client, path: { id }, body: { name: 'Agave' }, throwOnError: true });
    await deletePlant({ client, path: { id }, throwOnError: true });
    const others = [await changes.next(), await changes.next()];

    expect(created.value).toMatchObject({
      kind: 'created',
      plant: { id, name: 'Aloe' },
      at: expect.any(Date),
    });
    expect(others.map(({ value }) => value)).toMatchObject([
      { kind: 'changed', plant: { id, name: 'Agave' } },
      { kind: 'deleted', plant: { id, name: 'Agave' } },
    ]);
    await changes.return(undefined);
    await expect(followPlants(client, '1').next()).rejects.toThrow('The change 1 is not kept');
  });

  test('tells what the service refuses', async () => {
    const { service, client } = await startWithClient();
    const stranger = plantStore(service.url, 'unknown');

    const missing = await getPlant({ client, path: { id: 2n ** 63n - 1n } });
    const refused = await listPlants({ client: stranger });

    expect(missing.error).toEqual({
      error: 40401,
      message: 'There is no plant with the id 9223372036854775807.',
    });
    expect(refused.error).toMatchObject({ error: 40101 });
    expect((await isReady({ client: stranger })).data).toEqual({ status: 'ok' });
  });

  test('is shown by an example that runs, as often as one likes, and leaves plants alone that it did not make', async () => {
    const { service } = await startWithClient();
    for (const id of IDS)
      await service.send('PUT', `/plants/${id}`, { body: { name: 'Aloe', tag: 'example' } });
    const before = await service.plants();

    for (let run = 1; run <= 2; run += 1) {
      const { stdout, stderr } = await exec(process.execPath, [join(FOLDER, 'example.ts')], {
        env: { PLANT_STORE_URL: service.url, PLANT_STORE_TOKEN: TOKEN },
      });

      const [first, second] = [...stdout.matchAll(/^(?:created|put) (\S+):/gm)].map(([, id]) => id);
      expect(stderr).toBe('');
      expect(stdout.trimEnd().split('\n')).toEqual([
        `created ${first}: Aloe`,
        `put ${second}: Yucca`,
        `read ${first}: Aloe`,
        `changed ${first}: Agave`,
        expect.stringMatching(/^Error 41200: /),
        `listed ${first}: Agave`,
        `listed ${second}: Yucca`,
        `deleted ${first}`,
        `deleted ${second}`,
        `Error 40401: There is no plant with the id ${second}.`,
      ]);
    }

    expect(await service.plants()).toEqual(before);
  });

  test('is shown by an example that says in one line why it cannot run', async () => {
    const { service } = await startWithClient();
    const nobody = `http://127.0.0.1:${await freePort()}`;

    for (const [url, line] of [
      [nobody, `No service answers at ${nobody}: run npm start first.\n`],
      [service.url, 'The access token is not valid.\n'],
    ] as const)
      await expect(
        exec(process.execPath, [join(FOLDER, 'example.ts')], {
          env: { PLANT_STORE_URL: url, PLANT_STORE_TOKEN: 'unknown' },
        }),
      ).rejects.toMatchObject({ code: 1, stdout: '', stderr: line });
  });

  test('is what the contract of the built service generates (if not: npm run generate:client)', async () => {
    const folder = temporaryFolder();

    await exec(process.execPath, [join(FOLDER, 'generate.ts'), folder]);

    expect(contents(join(FOLDER, 'generated'))).toEqual(contents(folder));
  });
});

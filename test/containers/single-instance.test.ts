import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createRequest } from '../support/service.js';
import { becomesHealthy, ComposeProject, docker, inspect } from './compose.js';

const STOP_GRACE_PERIOD_MS = 10_000;
const PLANT = { id: 1, name: 'Aloe' };

let project: ComposeProject;

async function container(): Promise<string> {
  return project.container('plant-store');
}

async function create(): Promise<Response> {
  return fetch(`${project.url}/plants`, createRequest(PLANT));
}

describe('docker compose up', () => {
  beforeAll(async () => {
    project = await ComposeProject.make();
    await project.compose('build');
    await project.compose('up', '-d');
    await becomesHealthy(await container());
  });

  afterAll(async () => project.compose('down', '-v'));

  test('starts one instance and nothing else', async () => {
    expect(await project.compose('ps', '-q')).toBe(await container());
  });

  test('runs as somebody without rights, on a root file system that cannot be written', async () => {
    expect(await docker('exec', await container(), 'id', '-u')).not.toBe('0');
    expect(await inspect(await container(), '.HostConfig.ReadonlyRootfs')).toBe(true);
    expect(await inspect(await container(), '.HostConfig.CapDrop')).toEqual(['ALL']);
    await expect(docker('exec', await container(), 'touch', '/app/x')).rejects.toThrow(
      'Read-only file system',
    );
  });

  test('creates a plant, and the contract names the address outside of the container', async () => {
    expect((await create()).status).toBe(200);
    expect(await (await fetch(`${project.url}/openapi.json`)).json()).toMatchObject({
      servers: [{ url: project.url.replace('127.0.0.1', 'localhost') }],
    });
  });

  test('keeps a first token in the volume, whatever its database', async () => {
    expect(await docker('exec', await container(), 'readlink', '-f', 'data')).toBe('/data');
  });

  test('has the command line on board', async () => {
    expect(await docker('exec', await container(), 'plant-store', 'token', 'list')).toContain('bootstrap');
  });

  test('stops within the grace period with 0, and finds the plant again', async () => {
    const started = Date.now();
    await project.compose('stop');

    expect(Date.now() - started).toBeLessThan(STOP_GRACE_PERIOD_MS);
    expect(await inspect(await container(), '.State.ExitCode')).toBe(0);
    await project.compose('start');
    await becomesHealthy(await container());
    expect(await (await create()).json()).toMatchObject({ error: 40900 });
  });

  test('keeps the plant when the container is made anew, or killed', async () => {
    await project.compose('up', '-d', '--force-recreate');
    await becomesHealthy(await container());
    expect(await (await create()).json()).toMatchObject({ error: 40900 });

    await docker('kill', await container());
    await project.compose('up', '-d');
    await becomesHealthy(await container());
    expect(await (await create()).json()).toMatchObject({ error: 40900 });
  });
});

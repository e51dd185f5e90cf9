import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { becomesHealthy, ComposeProject, docker, inspect, READY } from './compose.js';
import { Load } from './load.js';

/** How long the balancer may take to notice that an instance has died, and what was sent to it until then. */
const MOMENT_MS = 5_000;
let project: ComposeProject;

async function instances(): Promise<string[]> {
  return project.containers('instance');
}

/** The ids of the plants that PostgreSQL has, past the service. */
async function stored(): Promise<Set<number>> {
  const postgres = await project.container('postgres');
  const psql = ['psql', '--host=127.0.0.1', '--username=plant_store', '-Atc', 'SELECT id FROM plants'];
  const lines = await docker('exec', '--env=PGPASSWORD=plant-store', postgres, ...psql);
  return new Set(lines.split('\n').map(Number));
}

/** Starts clients who create plants all the time; they end with the test at the latest. */
async function startLoad(): Promise<Load> {
  const load = new Load(project.url);
  onTestFinished(() => load.stop());
  await load.acknowledges(200);
  return load;
}

async function expectKept(load: Load): Promise<void> {
  const acknowledged = new Set(load.acknowledged.map(({ id }) => id));
  expect(acknowledged.difference(await stored())).toEqual(new Set());
}

describe('docker compose --profile postgres up load-balancer', () => {
  beforeAll(async () => {
    project = await ComposeProject.make('--profile', 'postgres');
    await project.compose('build', 'instance');
    // An instance that does not reach PostgreSQL in time ends and is started again, for which compose does not wait.
    await vi.waitFor(async () => project.compose('up', '-d', 'load-balancer'), READY);
    await vi.waitUntil(
      async () => (await fetch(`${project.url}/health/ready`).catch(() => undefined))?.ok,
      READY,
    );
  });

  afterAll(async () => project.compose('down', '-v'));

  test('starts three instances without rights, and nothing on SQLite', async () => {
    expect(await instances()).toHaveLength(3);
    expect(await project.containers('plant-store')).toEqual([]);
    for (const instance of await instances()) {
      expect(await inspect(instance, '.State.Health.Status')).toBe('healthy');
      expect(await inspect(instance, '.HostConfig.ReadonlyRootfs')).toBe(true);
      expect(await inspect(instance, '.HostConfig.CapDrop')).toEqual(['ALL']);
      // Where the first token would go.
      await docker('exec', instance, 'touch', '/data/first-token');
    }
  });

  test('spreads requests over all instances, and the contract names the address of the balancer', async () => {
    const load = await startLoad();
    await load.stop();

    expect(load.failed).toEqual([]);
    for (const instance of await instances()) {
      await vi.waitUntil(async () => (await docker('logs', instance)).includes('"POST"'), READY);
    }
    expect(await (await fetch(`${project.url}/openapi.json`)).json()).toMatchObject({
      servers: [{ url: project.url.replace('127.0.0.1', 'localhost') }],
    });
  });

  test('goes on when an instance is killed, and takes it back', async () => {
    const load = await startLoad();
    const [instance = ''] = await instances();

    const killed = Date.now();
    await docker('kill', instance);
    await load.acknowledges(500);
    await docker('start', instance);
    await becomesHealthy(instance);
    await load.acknowledges(200);
    await load.stop();

    for (const failed of load.failed) {
      expect(failed).toMatchObject(
        failed.status === 'aborted' ? {} : { status: 503, error: 50300, retryAfter: '1' },
      );
      expect(failed.at - killed).toBeLessThan(MOMENT_MS);
    }
    await expectKept(load);
  });

  test('answers every create while the instances are stopped and started, one after the other', async () => {
    const load = await startLoad();

    for (const instance of await instances()) {
      await docker('stop', instance);
      expect(await inspect(instance, '.State.ExitCode')).toBe(0);
      await load.acknowledges(200);
      await docker('start', instance);
      await becomesHealthy(instance);
      await load.acknowledges(200);
    }
    await load.stop();

    expect(load.failed).toEqual([]);
    await expectKept(load);
  });
});

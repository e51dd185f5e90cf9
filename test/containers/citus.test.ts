import { describe, expect, test } from 'vitest';
import { ComposeProject } from './compose.js';

describe('docker compose --profile citus', () => {
  test('has three nodes of one version, and the steps that make them a cluster', async () => {
    const project = await ComposeProject.make('--profile', 'citus');

    const services = (await project.compose('config', '--services')).split('\n');
    const config = await project.compose('config');

    expect(services).toEqual(
      expect.arrayContaining([
        'citus-coordinator',
        'citus-worker-1',
        'citus-worker-2',
        'citus-cluster',
        'citus-instance',
        'citus-distribution',
        'citus-load-balancer',
      ]),
    );
    expect(new Set(config.match(/citusdata\/citus:.*/g)).size).toBe(1);
    expect(config).toContain('@citus-coordinator:5432/plant_store');
    expect(config.match(/max-size: 10m/g)).toHaveLength(services.length);
  });
});

import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

const ROOT = new URL('../../../', import.meta.url);

function read(path: string): string {
  return readFileSync(new URL(path, ROOT), 'utf8');
}

/** Every match of the only group of a pattern in a file. */
function matches(path: string, pattern: RegExp): string[] {
  return [...read(path).matchAll(pattern)].map(([, group = '']) => group);
}

const ALERTS = matches('docker/monitoring/rules.yml', /- alert: (\w+)/g);

describe('the dashboard', () => {
  test('asks the data source that its reader chooses', () => {
    const dashboard = 'docker/monitoring/grafana/dashboards/plant-store.json';

    expect(new Set(matches(dashboard, /"datasource": \{\s+"type": "prometheus",\s+"uid": "(.+)"/g))).toEqual(
      new Set(['${datasource}']),
    );
    expect(JSON.parse(read(dashboard))).toMatchObject({
      templating: { list: [{ name: 'datasource', type: 'datasource', query: 'prometheus' }, {}] },
    });
  });
});

describe('the alerts', () => {
  test('link to a section of the runbook each', () => {
    const links = matches('docker/monitoring/rules.yml', /runbook_url: (\S+)/g);

    expect(links).toEqual(ALERTS.map((alert) => `docs/troubleshooting.md#${alert.toLowerCase()}`));
    expect(matches('docs/troubleshooting.md', /^### (PlantStore\w+)$/gm)).toEqual(ALERTS);
  });

  test('have tests each, in which they fire', () => {
    const fired = matches(
      'docker/monitoring/rules.test.yml',
      /alertname: (\w+)\n +exp_alerts:\n +- exp_labels/g,
    );

    expect(new Set(fired)).toEqual(new Set(ALERTS));
  });

  test('and the dashboard use only metrics that the runbook lists', () => {
    const runbook = read('docs/operations.md');
    const used = ['rules.yml', 'grafana/dashboards/plant-store.json'].flatMap((file) =>
      matches(`docker/monitoring/${file}`, /\b((?:plant_store|http|nodejs)_\w+)/g),
    );
    const names = used.map((name) => name.replace(/_(?:bucket|sum|count)$/, ''));

    const unlisted = names.filter((name) => !runbook.includes(`\`${name}\``));
    expect(unlisted).toEqual([]);
  });
});

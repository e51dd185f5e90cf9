import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, test, vi } from 'vitest';
import { plantStore } from '../../../support/command-line.js';
import { emptySqlite } from '../../../support/database.js';
import { plant } from '../../../support/plants.js';
import { createDatabase } from '../../../support/postgres-server.js';
import { runService } from '../../../support/running-process.js';
import { createRequest, TOKEN } from '../../../support/service.js';
import { temporaryFolder } from '../../../support/temporary-folder.js';
import { MONITORING, Prometheus, promtool } from './prometheus.js';

interface Panel {
  readonly title: string;
  readonly targets?: readonly { readonly expr: string }[];
}

function dashboard(): readonly Panel[] {
  const file = join(MONITORING, 'grafana/dashboards/plant-store.json');
  return (JSON.parse(readFileSync(file, 'utf8')) as { panels: readonly Panel[] }).panels;
}

/** A panel's expression for all instances, as Grafana would ask it. */
function filledIn(expression: string): string {
  return expression.replaceAll('$instance', '.*').replaceAll('$__rate_interval', '1m');
}

/** What a rule compares with its thresholds: they are met only when something is wrong. */
function compared(expression: string): string[] {
  return expression
    .split(/\bor\b/)
    .map((alternative) =>
      alternative.replace(/ (?:==|<|>) [\d.e+* ]+$/, '').replace(/^ *absent\((.*)\) *$/, '$1'),
    );
}

/** An instance that Prometheus asks. */
interface Instance {
  readonly url: string;
  /** A token with every scope. */
  readonly token: string;
}

async function startOn({ url }: { readonly url: string }, token: string): Promise<Instance> {
  const folder = temporaryFolder();
  const BACKUP_FOLDER = url.startsWith('sqlite:') ? join(folder, 'backups') : '';
  const service = await runService(folder, {
    DATABASE_URL: url,
    BOOTSTRAP_TOKEN: token,
    BACKUP_FOLDER,
    WEBHOOK_KEY: 'a-key-for-the-webhooks-of-the-tests',
  });
  return { url: service.url, token };
}

/** A little of all that is counted. */
async function use({ url, token }: Instance, turn: number): Promise<void> {
  const headers = { Authorization: `Bearer ${token}` };
  const creates = Array.from({ length: 8 }, async (_, index) =>
    fetch(`${url}/plants`, createRequest(plant(turn * 8 + index), headers)),
  );
  await Promise.all(creates);
  await Promise.all([1, 2, 2, 1000].map(async (id) => fetch(`${url}/plants/${id}`, { headers })));
  await fetch(`${url}/plants`, createRequest({}, headers));
  await fetch(`${url}/plants`);
}

describe('monitoring', () => {
  test('gets data from a real Prometheus for every expression of the dashboard and of the rules', async () => {
    const sqlite = emptySqlite();
    const args = ['--name', 'prometheus', '--scope', 'metrics:read', '--expires-in', '90'];
    const { stdout } = await plantStore(sqlite, ['token', 'create', ...args]);
    const [secret = ''] = /pst_\w*/.exec(stdout) ?? [];
    // Each has its own store, but one Prometheus has one token.
    const postgres = { url: await createDatabase(inject('postgresServer')) };
    const instances = [await startOn(sqlite, TOKEN), await startOn(postgres, secret)];
    const prometheus = await Prometheus.start(
      instances.map(({ url }) => new URL(url).host),
      `${secret}\n`,
    );

    const expressions = dashboard().flatMap(({ title, targets = [] }) =>
      targets.map(({ expr }) => [title, filledIn(expr)] as const),
    );
    const rules = await prometheus.rules();
    for (const { name, query } of rules)
      for (const expression of compared(query)) expressions.push([name, expression]);
    let turn = 0;
    await vi.waitFor(
      async () => {
        turn += 1;
        await Promise.all(instances.map((instance) => use(instance, turn)));
        const without: string[] = [];
        for (const [name, expression] of expressions) {
          const samples = await prometheus.query(expression);
          const hasData = samples.some(({ value: [, value] }) => Number.isFinite(Number(value)));
          if (!hasData) without.push(`${name}: ${expression}`);
        }
        expect(without).toEqual([]);
      },
      { timeout: 60_000, interval: 200 },
    );

    expect(expressions.length).toBeGreaterThan(40);
    expect(await prometheus.query('up{job="plant-store"} == 1')).toHaveLength(2);
    const evaluated = await prometheus.rules();
    // On a slow machine one may be pending.
    expect(evaluated.filter(({ health, state }) => health !== 'ok' || state === 'firing')).toEqual([]);
    for (const { url, token } of instances) {
      const headers = { Authorization: `Bearer ${token}` };
      const metrics = await (await fetch(`${url}/metrics`, { headers })).text();
      // Of its own metrics: the linter does not like the names of the client's.
      await promtool(['check', 'metrics'], metrics.replaceAll(/^.*\b(?:nodejs|process)_.*\n/gm, ''));
    }
  });

  test('has an alert for each rule, which its tests say', async () => {
    await promtool(['check', 'rules', 'rules.yml']);
    await promtool(['test', 'rules', 'rules.test.yml']);
  });
});

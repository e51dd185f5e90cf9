import { execFile, spawn } from 'node:child_process';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished, vi } from 'vitest';
import { freePort } from '../../../support/postgres-server.js';
import { temporaryFolder } from '../../../support/temporary-folder.js';

const exec = promisify(execFile);

/** What Prometheus and Grafana run with. */
export const MONITORING = fileURLToPath(new URL('../../../../docker/monitoring/', import.meta.url));

/** Part of the answer of the API of Prometheus. */
interface Answer<Data> {
  readonly status: string;
  readonly data: Data;
  readonly error?: string;
}

interface Rule {
  readonly name: string;
  readonly query: string;
  readonly health: string;
  readonly state: string;
}

interface Sample {
  readonly value: readonly [number, string];
}

/** Runs the `promtool` of Debian's package `prometheus`; rejects with its output when it finds fault. */
export async function promtool(args: readonly string[], input = ''): Promise<void> {
  const running = exec('promtool', args, { cwd: MONITORING });
  running.child.stdin?.end(input);
  await running;
}

/** A real Prometheus with the configuration of this project, which asks some addresses often. */
export class Prometheus {
  private constructor(private readonly url: string) {}

  /**
   * @param targets hosts and ports of instances.
   * @param token what is in the file of the token, as the command of the runbook writes it.
   */
  static async start(targets: readonly string[], token: string): Promise<Prometheus> {
    const folder = temporaryFolder();
    cpSync(MONITORING, folder, { recursive: true });
    writeFileSync(join(folder, 'token'), token);
    const file = join(folder, 'prometheus.yml');
    const lines = readFileSync(file, 'utf8')
      .replaceAll('15s', '500ms')
      .replace(/dns_sd_configs:[^]*/, `static_configs: [{ targets: ${JSON.stringify(targets)} }]\n`);
    writeFileSync(file, lines);
    await promtool(['check', 'config', file]);
    const address = `127.0.0.1:${await freePort()}`;
    const child = spawn(
      'prometheus',
      [
        `--config.file=${file}`,
        `--storage.tsdb.path=${join(folder, 'data')}`,
        `--web.listen-address=${address}`,
      ],
      { stdio: 'ignore' },
    );
    onTestFinished(async () => {
      child.kill('SIGKILL');
      if (child.exitCode === null) await new Promise((resolve) => child.once('exit', resolve));
    });
    const prometheus = new Prometheus(`http://${address}`);
    const isReady = async () => expect((await fetch(`${prometheus.url}/-/ready`)).status).toBe(200);
    await vi.waitFor(isReady, { timeout: 30_000, interval: 100 });
    return prometheus;
  }

  /** What an expression has now. */
  async query(expression: string): Promise<readonly Sample[]> {
    const query = new URLSearchParams({ query: expression }).toString();
    const { result } = await this.ask<{ readonly result: readonly Sample[] }>(`query?${query}`);
    return result;
  }

  async rules(): Promise<readonly Rule[]> {
    const { groups } = await this.ask<{ readonly groups: readonly { readonly rules: readonly Rule[] }[] }>(
      'rules',
    );
    return groups.flatMap(({ rules }) => rules);
  }

  private async ask<Data>(question: string): Promise<Data> {
    const { status, data, error } = (await (
      await fetch(`${this.url}/api/v1/${question}`)
    ).json()) as Answer<Data>;
    if (status !== 'success') throw new Error(`${question}: ${error}`);
    return data;
  }
}

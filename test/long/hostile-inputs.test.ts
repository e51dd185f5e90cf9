import { randomInt } from 'node:crypto';
import { expect, inject, test, vi } from 'vitest';
import { emptyDatabase } from '../support/database.js';
import { freePort } from '../support/postgres-server.js';
import { run as runFile } from '../support/running-process.js';
import { TOKEN } from '../support/service.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { sendBodies } from './bodies.js';
import { importLines } from './import-lines.js';
import { sendMessages } from './messages.js';
import { sendParameters } from './parameters.js';
import { Run } from './run.js';

/** Hostile inputs of the whole run: nine tenths on SQLite, one on PostgreSQL. */
const INPUTS = Number(process.env['INPUTS'] ?? 1_000_000);
const SEED = Number(process.env['SEED'] ?? randomInt(2 ** 31));

/** Each kind with its share of the inputs. */
const KINDS = [
  ['HTTP messages', 0.1, sendMessages],
  ['paths, parameters and headers', 0.1, sendParameters],
  ['bodies', 0.3, sendBodies],
  ['import lines', 0.5, importLines],
] as const;

test(
  `the service survives hostile inputs, answers each and stores only what it accepted (SEED=${SEED})`,
  { timeout: 3_600_000 },
  async () => {
    const share = inject('database') === 'sqlite' ? 0.9 : 0.1;
    const database = await emptyDatabase();
    const port = await freePort();
    const service = runFile('main.js', [], temporaryFolder(), {
      PORT: String(port),
      DATABASE_URL: database.url,
      BOOTSTRAP_TOKEN: TOKEN,
      LOG_LEVEL: 'warn',
      // What never ends is to end while the run lasts.
      REQUEST_TIMEOUT_MS: '3000',
      KEEP_ALIVE_TIMEOUT_MS: '5000',
      TRUSTED_PROXIES: 'loopback',
    });
    const url = `http://127.0.0.1:${port}`;
    await vi.waitFor(async () => expect((await fetch(`${url}/health/ready`)).status).toBe(200), {
      timeout: 30_000,
    });
    const died = service.exited.then((code) => {
      throw new Error(`The service has ended with ${code}: ${service.stderr()} ${run.findings.join('\n')}`);
    });
    died.catch(() => undefined);
    const run = new Run(port, SEED);
    let index = 0;

    for (const [kind, part, send] of KINDS) {
      const count = Math.round(INPUTS * share * part);
      const started = performance.now();
      const indices = Array.from({ length: count }, () => index++);
      await Promise.race([send(run, indices), died]);
      const seconds = (performance.now() - started) / 1000;
      const answers = [...run.answers].map(([name, times]) => `${name}: ${times}`);
      console.log(`${count} ${kind} in ${seconds.toFixed(1)} s; answers ${answers.toSorted().join(', ')}`);
      run.answers.clear();
    }

    const response = await fetch(`${url}/plants/export`, { headers: { Authorization: `Bearer ${TOKEN}` } });
    const exported = (await response.text()).split('\n').slice(0, -1);
    service.child.kill('SIGTERM');
    expect(await service.exited).toBe(0);
    const stored = await database.plants();
    const problems = [
      ...run.findings,
      ...run.model.differences(stored.map((plant) => [plant.id, plant])),
      ...run.model.differences(exported.map(readLine)),
      ...(service.stdout().match(/.*"level":"(?:error|fatal)".*/g) ?? []).slice(0, 20),
    ];
    expect(problems).toEqual([]);
    expect(service.stderr()).toBe('');
    expect(stored.length).toBeGreaterThan((INPUTS * share) / 20);
  },
);

/** The plant of a line of an export, whose id comes first. */
function readLine(line: string): [bigint, { name: string; tag: string | null }] {
  const [, id = ''] = /^\{"id":(-?\d+),/.exec(line) ?? [];
  const { name, tag = null } = JSON.parse(line) as { name: string; tag?: string };
  return [BigInt(id), { name, tag }];
}

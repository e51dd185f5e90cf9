import { randomInt } from 'node:crypto';
import { expect, inject, test, vi } from 'vitest';
import { emptyDatabase } from '../support/database.js';
import type { PlantContent } from '../model/plant-reference.js';
import { freePort } from '../support/postgres-server.js';
import { run as runFile } from '../support/running-process.js';
import { TOKEN } from '../support/service.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { importLines, Plants, sendBodies } from './bodies.js';
import { sendMessages } from './messages.js';
import { Run } from './run.js';

/** Hostile inputs of the whole run: nine tenths on SQLite, one on PostgreSQL. */
const INPUTS = Number(process.env['INPUTS'] ?? 100_000);
const SEED = Number(process.env['SEED'] ?? randomInt(2 ** 30));

/** Each kind with its share of the inputs. */
const KINDS = [
  ['HTTP messages', 0.2, sendMessages],
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
      REQUEST_TIMEOUT_MS: '3000',
      KEEP_ALIVE_TIMEOUT_MS: '1000',
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
    const plants = new Plants();

    for (const [kind, part, send] of KINDS) {
      const count = Math.round(INPUTS * share * part);
      const started = performance.now();
      await Promise.race([send(run, plants, count), died]);
      const seconds = (performance.now() - started) / 1000;
      const counts = [...run.counts].map(([name, times]) => `${name}: ${times}`);
      console.log(`${count} ${kind} in ${seconds.toFixed(1)} s; answers ${counts.toSorted().join(', ')}`);
      run.counts.clear();
    }

    const response = await fetch(`${url}/plants/export`, { headers: { Authorization: `Bearer ${TOKEN}` } });
    const exported = (await response.text()).split('\n').slice(0, -1);
    service.child.kill('SIGTERM');
    expect(await service.exited).toBe(0);
    const expected = new Set([...plants].map(([id, content]) => lineOf(id, content)));
    const differences = (lines: readonly string[]) =>
      [...new Set(lines).symmetricDifference(expected)].slice(0, 20).map((line) => line.slice(0, 500));
    const stored = (await database.plants()).map(({ id, name, tag }) =>
      lineOf(id, tag === null ? { name } : { name, tag }),
    );
    expect(run.findings).toEqual([]);
    expect(differences(stored)).toEqual([]);
    expect(differences(exported)).toEqual([]);
    expect(service.stdout()).not.toMatch(/"level":"(?:error|fatal)"/);
    expect(service.stderr()).toBe('');
    expect(stored.length).toBeGreaterThan((INPUTS * share) / 20);
  },
);

/** A plant as a line of an export. */
function lineOf(id: bigint, { name, tag }: PlantContent): string {
  return JSON.stringify({ id: JSON.rawJSON(String(id)), name, tag });
}

import { randomInt } from 'node:crypto';
import { expect, inject, test } from 'vitest';
import { emptyDatabase } from './support/database.js';
import type { PlantContent } from './model/plant-reference.js';
import { runService } from './support/running-process.js';
import { withoutOtherFields } from './support/plants.js';
import { TOKEN } from './support/service.js';
import { temporaryFolder } from './support/temporary-folder.js';
import { importLines, Plants, sendBodies } from './long/bodies.js';
import { Run } from './long/run.js';

const IS_LONG = inject('isLong');
/** Hostile inputs on both databases together. */
const INPUTS = Number(process.env['INPUTS'] ?? (IS_LONG ? 60_000 : 500));
/** How many of them are on this one. */
const SHARE = IS_LONG ? { sqlite: 0.9, postgres: 0.1 }[inject('database')] : 0.5;
const SEED = Number(process.env['SEED'] ?? randomInt(2 ** 30));

/** Each kind with its share of the inputs. */
const KINDS = [
  [0.4, sendBodies],
  [0.6, importLines],
] as const;

test(
  `the service survives hostile requests, answers each exactly or with an Error, and stores only what it accepted (SEED=${SEED})`,
  { timeout: 3_600_000 },
  async () => {
    const database = await emptyDatabase();
    const service = await runService(temporaryFolder(), {
      DATABASE_URL: database.url,
      BOOTSTRAP_TOKEN: TOKEN,
      REQUEST_TIMEOUT_MS: '3000',
      KEEP_ALIVE_TIMEOUT_MS: '1000',
    });
    const { url } = service;
    const died = service.exited.then((code) => {
      throw new Error(`The service has ended with ${code}: ${service.stderr()} ${run.findings.join('\n')}`);
    });
    died.catch(() => undefined);
    const run = new Run(Number(new URL(url).port), SEED);
    const plants = new Plants();

    for (const [part, send] of KINDS)
      await Promise.race([send(run, plants, Math.round(INPUTS * SHARE * part)), died]);

    const response = await fetch(`${url}/plants/export`, { headers: { Authorization: `Bearer ${TOKEN}` } });
    const exported = withoutOtherFields(await response.text())
      .split('\n')
      .slice(0, -1);
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
    // Not only refusals were tried.
    expect(stored.length).toBeGreaterThan((INPUTS * SHARE) / 40);
  },
);

/** A plant as a line of an export. */
function lineOf(id: bigint, { name, tag }: PlantContent): string {
  return JSON.stringify({ id: JSON.rawJSON(String(id)), name, tag });
}

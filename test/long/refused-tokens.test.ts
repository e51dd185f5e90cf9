import { readFileSync } from 'node:fs';
import { expect, inject, test, vi } from 'vitest';
import { startIdentityProvider } from '../support/identity-provider.js';
import { freePort } from '../support/postgres-server.js';
import { refusedTokens } from '../support/refused-tokens.js';
import { run as runFile } from '../support/running-process.js';
import { TOKEN } from '../support/service.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { type Answer, errorOf } from './answers.js';
import { Run } from './run.js';

/** Tokens that are refused, of all kinds together. */
const REFUSED = Math.min(100_000, Number(process.env['INPUTS'] ?? 100_000));

/** Requests of each kind with which the cost is compared. */
const COMPARED = 20_000;

/** Seconds between two fetches of the keys at least. */
const COOLDOWN = 30;

test.runIf(inject('database') === 'sqlite')(
  'the service refuses all tokens that are not good, and asks the identity provider for keys once in 30 s at most',
  { timeout: 3_600_000 },
  async () => {
    const provider = await startIdentityProvider();
    const kinds = Object.entries(await refusedTokens(provider));
    const port = await freePort();
    const service = runFile('main.js', [], temporaryFolder(), {
      ...provider.settings,
      PORT: String(port),
      BOOTSTRAP_TOKEN: TOKEN,
      LOG_LEVEL: 'warn',
      TRUSTED_PROXIES: 'loopback',
    });
    await vi.waitUntil(async () => fetch(`http://127.0.0.1:${port}/health/ready`).catch(() => false), {
      timeout: 30_000,
    });
    const run = new Run(port, 0);
    const started = performance.now();
    const sendAll = async (
      what: string,
      count: number,
      token: (index: number) => string,
      expected: number,
    ) => {
      // Signed before the clock runs: the client shares the cores.
      const requests = Array.from({ length: count }, (_, index) => `Authorization: Bearer ${token(index)}`);
      const before = cpuUs(service.child.pid);
      const check = (answer: Answer) =>
        errorOf(answer) === expected ? undefined : `${expected} is expected`;
      for (const [index, authorization] of requests.entries())
        await run.send({ index, method: 'GET', path: '/plants/1', headers: [authorization] }, index, check);
      await run.settled();
      const each = (cpuUs(service.child.pid) - before) / count;
      console.log(`${count} requests with a token ${what}: ${each.toFixed(1)} µs of CPU each`);
    };

    for (const [kind, token] of kinds) await sendAll(kind, Math.ceil(REFUSED / kinds.length), token, 40101);
    await sendAll('that is none', COMPARED, (index) => `nobody-${index}`, 40101);
    const accepted = await provider.token();
    await sendAll('of the service', COMPARED, () => TOKEN, 40401);
    await sendAll('of the identity provider', COMPARED, () => accepted, 40401);

    const seconds = (performance.now() - started) / 1000;
    console.log(`${provider.fetches()} fetches of the keys in ${seconds.toFixed(0)} s`);
    expect(run.findings).toEqual([]);
    expect(provider.fetches()).toBeLessThanOrEqual(1 + seconds / COOLDOWN);
    expect(service.stdout() + service.stderr()).toBe('');
  },
);

/** User and system time of a process; NaN where the system does not tell. */
function cpuUs(pid: number | undefined): number {
  if (process.platform !== 'linux') return Number.NaN;
  // Ticks of 10 ms, in the 14th and 15th field, behind the name in parentheses.
  const [, fields = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
  const [user = 0, system = 0] = fields.split(' ').slice(11).map(Number);
  return (user + system) * 10_000;
}

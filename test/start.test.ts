import { describe, expect, inject, test } from 'vitest';
import { emptyDatabase } from './support/database.js';
import { printedCurl } from './support/network/printed-curl.js';
import { run, runService } from './support/running-process.js';
import { startService, TOKEN } from './support/service.js';
import { temporaryFolder } from './support/temporary-folder.js';

describe('the first start', () => {
  test('is followed by starts that print no token and still know the plant and the token', async () => {
    const { url: DATABASE_URL } = await emptyDatabase();
    const first = await runService(temporaryFolder(), { DATABASE_URL });
    const { url, init } = await printedCurl(first);
    await fetch(url, init);
    first.child.kill('SIGKILL');
    await first.exited;

    const second = await runService(temporaryFolder(), { DATABASE_URL });
    const again = await fetch(`${second.url}/plants`, init);

    expect(second.stderr()).toBe('');
    expect(again.status).toBe(400);
    expect(await again.json()).toMatchObject({ error: 40900 });
  });
});

// PostgreSQL has tests of its own for many starts at once.
describe.runIf(inject('database') === 'sqlite')('the first start', () => {
  test('with a BOOTSTRAP_TOKEN that is revoked warns of it, and refuses it', async () => {
    const first = await startService();
    await first.database.execute("UPDATE access_tokens SET revoked_at = '2026-01-01T00:00:00.000Z'");

    const second = await startService({}, first.database);

    expect(await second.create({ id: 1, name: 'Aloe' })).toMatchObject({ status: 401 });
    expect(first.log.join('')).not.toContain('revoked');
    expect(second.log.join('')).toMatch(/BOOTSTRAP_TOKEN is the token [0-9a-f]{12}, which is revoked/);
    expect(second.log.join('')).not.toContain(TOKEN);
  });

  test('that could not listen leaves the first token to the one that can', async () => {
    const { url: DATABASE_URL } = await emptyDatabase();
    const failed = run('main.js', [], temporaryFolder(), { DATABASE_URL, HOST: '192.0.2.1' });
    expect(await failed.exited).toBe(1);

    const service = await runService(temporaryFolder(), { DATABASE_URL });

    expect((await printedCurl(service)).url).toBe(`${service.url}/plants`);
  });

  test('beside others on a new database succeeds for all of them', async () => {
    const { url: DATABASE_URL } = await emptyDatabase();

    const services = await Promise.all(
      [1, 2].map(async () => runService(temporaryFolder(), { DATABASE_URL, BOOTSTRAP_TOKEN: TOKEN })),
    );

    expect(services.map((service) => service.stderr())).toEqual(['', '']);
  });
});

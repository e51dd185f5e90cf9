import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, inject, test, vi } from 'vitest';
import { plantStore } from '../../support/command-line.js';
import { emptySqlite } from '../../support/database.js';
import { numberedLines, plant } from '../../support/plants.js';
import { createUntilGone, run, runService } from '../../support/running-process.js';
import { createRequest, startService, TOKEN } from '../../support/service.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const BACKUPS = 5;
const CONNECTIONS = 32;
/** Plants that are there from the start, so that a copy takes a while. */
const PLANTS = 100_000;

describe.runIf(inject('database') === 'sqlite')('backups of the service', () => {
  test(
    `of a service that is killed meanwhile has what was acknowledged before it: ${BACKUPS} of them`,
    { timeout: BACKUPS * 30_000 },
    async () => {
      const [database, backups] = [emptySqlite(), temporaryFolder()];
      await plantStore(database, ['import'], numberedLines(PLANTS));
      const environment = { DATABASE_URL: database.url, BOOTSTRAP_TOKEN: TOKEN };
      let stored = new Set((await database.plants()).map(({ id }) => id));

      for (let round = 1; round <= BACKUPS; round += 1) {
        const file = join(backups, `${round}.db`);
        const service = await runService(temporaryFolder(), environment);
        const [sent, acknowledged] = [new Set(stored), new Set(stored)];
        const work = { firstId: round * 1_000_000, connections: CONNECTIONS };
        const load = createUntilGone(service.url, work, sent, acknowledged);
        await sleep(200 + Math.random() * 1_500);
        const before = new Set(acknowledged);
        const backup = run('kernel/cli/plant-store.js', ['backup', file], temporaryFolder(), environment);
        await sleep(Math.random() * 2_000);
        service.child.kill('SIGKILL');
        await load;
        expect(await backup.exited, backup.stderr()).toBe(0);

        // Over the store of the service that was killed, whose log is still there.
        const restored = await plantStore(database, ['restore', file, '--overwrite']);

        const plants = await database.plants();
        stored = new Set(plants.map(({ id }) => id));
        expect(restored.stderr).toBe('');
        expect(before.size).toBeGreaterThan(PLANTS + round - 1);
        expect([...before.difference(stored)]).toEqual([]);
        expect([...stored.difference(sent)]).toEqual([]);
        expect(plants.filter(({ id, name }) => name !== `plant ${id}`)).toEqual([]);
      }

      expect(readdirSync(backups)).toHaveLength(BACKUPS);
      expect(readdirSync(dirname(database.url.slice('sqlite:'.length)))).not.toContain('plant-store.db-wal');
    },
  );

  test.for(['rmSync', 'renameSync'])(
    'are restored whole or not at all: a restore that is killed before %s leaves the former plants',
    async (name) => {
      const [database, backup] = [emptySqlite(), join(temporaryFolder(), 'backup.db')];
      const environment = { DATABASE_URL: database.url, BOOTSTRAP_TOKEN: TOKEN };
      await plantStore(database, ['import']);
      await plantStore(database, ['backup', backup]);
      const service = await runService(temporaryFolder(), environment);
      expect((await fetch(`${service.url}/plants`, createRequest(plant(1)))).status).toBe(200);
      service.child.kill('SIGKILL');
      await service.exited;
      const kill = `import fs from 'node:fs'; import { syncBuiltinESMExports } from 'node:module';
        fs.${name} = () => process.kill(process.pid, 'SIGKILL'); syncBuiltinESMExports();`;
      const flags = ['--import', `data:text/javascript,${encodeURIComponent(kill)}`];
      const args = ['restore', backup, '--overwrite'];

      const restore = run('kernel/cli/plant-store.js', args, temporaryFolder(), environment, { flags });

      expect(await restore.exited).toBeNull();
      const again = await startService({}, database);
      expect(await again.plants()).toMatchObject([{ id: 1n }]);
    },
  );

  test.for(['backup', 'restore'])(
    'of which two commands make one file: one of them fails, %s',
    async (command) => {
      const [database, file] = [emptySqlite(), join(temporaryFolder(), 'copy.db')];
      await plantStore(database, ['import'], numberedLines(PLANTS));
      await plantStore(database, ['backup', file]);
      const folder = temporaryFolder();
      const made = join(folder, 'made.db');
      const isBackup = command === 'backup';
      const settings = { DATABASE_URL: isBackup ? database.url : `sqlite:${made}` };

      const both = [1, 2].map(() =>
        run('kernel/cli/plant-store.js', [command, isBackup ? made : file], folder, settings),
      );

      const codes = await Promise.all(both.map(({ exited }) => exited));
      expect(new Set(codes)).toEqual(new Set([0, 1]));
      expect(both.map(({ stderr }) => stderr()).join('')).toMatch(
        /^The (file|store) \S+made\.db exists already(: --overwrite replaces it)?\.\n$/,
      );
      expect(readdirSync(folder)).toEqual(['made.db']);
    },
  );

  test('are made at intervals, and the newest ones are kept', async () => {
    const BACKUP_FOLDER = join(temporaryFolder(), 'backups');
    const { url: DATABASE_URL } = emptySqlite();
    const settings = { DATABASE_URL, BACKUP_FOLDER, BACKUP_INTERVAL: '1s', BACKUP_KEEP: '1' };
    const service = await runService(temporaryFolder(), settings);

    const made = await vi.waitUntil(
      () => {
        const names = [...service.stdout().matchAll(/Backed up to \S+\/(\S+) \(\d+ bytes\)/g)];
        return names.length > 1 && names.map(([, name = '']) => name);
      },
      // Its process leaves the cores to everyone else.
      { timeout: 50_000 },
    );
    service.child.kill('SIGTERM');

    expect(await service.exited).toBe(0);
    const kept = readdirSync(BACKUP_FOLDER).filter((name) => name.endsWith('.db'));
    expect(made[0]).toMatch(/^plant-store-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ\.db$/);
    expect(kept).not.toContain(made[0]);
    // One more if the service was stopped before it had deleted it.
    expect(kept.length).toBeLessThanOrEqual(2);
    expect(await emptySqlite(join(BACKUP_FOLDER, kept[0] ?? '')).plants()).toEqual([]);
  });
});

import { execFile, spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, inject, onTestFinished, test, vi } from 'vitest';
import { postgresAt } from '../support/database.js';
import { createMany } from '../support/plants.js';
import { createDatabase, dropDatabase, PostgresServer, query } from '../support/postgres-server.js';
import { startService } from '../support/service.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const exec = promisify(execFile);

const SOON = { timeout: 30_000 };

/** Where Debian has the tools of PostgreSQL; elsewhere they are on the path. */
const DEBIAN = '/usr/lib/postgresql';
const PATH = [
  ...(existsSync(DEBIAN) ? readdirSync(DEBIAN) : [])
    .toSorted()
    .map((version) => join(DEBIAN, version, 'bin')),
  process.env['PATH'] ?? '',
].join(delimiter);

/** The tools copy servers of their own version and older ones. */
function toolsFit(version: number): boolean {
  const { stdout } = spawnSync('pg_basebackup', ['--version'], { encoding: 'utf8', env: { PATH } });
  return Number.parseInt(stdout?.split(' ').at(-1) ?? '', 10) >= version;
}

const { server_version_num: version } = (
  await query<{ server_version_num: string }>(inject('postgresServer'), 'SHOW server_version_num')
)[0] ?? { server_version_num: '0' };

/** What docs/operations.md tells to do. */
describe.runIf(toolsFit(Math.floor(Number(version) / 10_000)))('a store on PostgreSQL', () => {
  test('comes back from a dump', async () => {
    const service = await startService();
    await createMany(service, 100);
    const [folder, target] = [temporaryFolder(), await createDatabase(inject('postgresServer'))];
    onTestFinished(() => dropDatabase(inject('postgresServer'), target));

    await tool('pg_dump', '--format=custom', `--file=${join(folder, 'plants.dump')}`, service.database.url);
    await tool('pg_restore', '--exit-on-error', `--dbname=${target}`, join(folder, 'plants.dump'));

    const restored = await startService({}, postgresAt(target));
    expect(await restored.plants()).toEqual(await service.plants());
    expect((await restored.create({ id: 101, name: 'Aloe' })).status).toBe(200);
  });

  // A server that is there already is perhaps older than the one that this test starts.
  test.skipIf(process.env['POSTGRES_SERVER'])(
    'comes back as it was at a moment, from a base backup and the archive of its log',
    async () => {
      const folder = temporaryFolder();
      chmodSync(folder, 0o777);
      const server = await PostgresServer.start([
        '-c',
        'fsync=off',
        '-c',
        'archive_mode=on',
        '-c',
        `archive_command=cp %p ${folder}/%f`,
      ]);
      onTestFinished(() => server.remove());
      const service = await startService({}, postgresAt(await createDatabase(server.url())));
      await createMany(service, 10);
      const base = join(temporaryFolder(), 'base');
      await tool('pg_basebackup', `--dbname=${server.url()}`, `--pgdata=${base}`, '--checkpoint=fast');
      await createMany(service, 10, 11);
      const [{ moment } = { moment: '' }] = await query<{ moment: string }>(
        server.url(),
        'SELECT clock_timestamp()::text AS moment',
      );
      await service.database.execute('DELETE FROM plants');
      await query(server.url(), 'SELECT pg_switch_wal()');
      await vi.waitUntil(async () => {
        const sql =
          'SELECT last_archived_wal >= pg_walfile_name(pg_current_wal_lsn() - 1) AS done FROM pg_stat_archiver';
        return (await query<{ done: boolean }>(server.url(), sql))[0]?.done;
      }, SOON);

      const settings = [
        `restore_command=cp ${folder}/%f %p`,
        `recovery_target_time=${moment}`,
        'recovery_target_action=promote',
      ];
      const recovered = await server.copy(settings.flatMap((setting) => ['-c', setting]));
      onTestFinished(() => recovered.remove());
      await replaceFolder(recovered.folder, base);
      writeFileSync(join(recovered.folder, 'recovery.signal'), '');
      await recovered.resumeOrStart();
      const database = Object.assign(new URL(recovered.url()), {
        pathname: new URL(service.database.url).pathname,
      });
      await vi.waitUntil(async () => {
        const [state] = await query<{ ended: boolean }>(
          database.href,
          'SELECT NOT pg_is_in_recovery() AS ended',
        );
        return state?.ended;
      }, SOON);

      const after = await startService({}, postgresAt(database.href));
      expect(await service.plants()).toEqual([]);
      expect((await after.plants()).map(({ id }) => Number(id))).toEqual(
        Array.from({ length: 20 }, (_, i) => i + 1),
      );
      expect((await after.create({ id: 21, name: 'Aloe' })).status).toBe(200);
    },
  );
});

async function tool(name: string, ...args: string[]): Promise<void> {
  await exec(name, args, { env: { PATH } });
}

/** Fills the folder of a server with copies of the files of another one; they belong to the same user then. */
async function replaceFolder(folder: string, source: string): Promise<void> {
  const { uid, gid } = statSync(folder);
  rmSync(folder, { recursive: true });
  cpSync(source, folder, { recursive: true });
  await exec('chown', ['-R', `${uid}:${gid}`, folder]);
  chmodSync(folder, 0o700);
}

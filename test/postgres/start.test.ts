import { chmodSync, chownSync, copyFileSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createDatabase, freePort, PostgresServer, query } from '../support/postgres-server.js';
import { failedStart, startService } from '../support/service.js';

/** For localhost and nothing else, signed by itself; the key beside it protects nothing. */
const CERTIFICATE = fileURLToPath(new URL('tls/server.crt', import.meta.url));
const ROOT_CERTIFICATE = `sslrootcert=${encodeURIComponent(CERTIFICATE)}`;
const KEY = fileURLToPath(new URL('tls/server.key', import.meta.url));

let server: PostgresServer;

/** A server that asks the role `secured` for its password, and that speaks TLS. */
beforeAll(async () => {
  server = await PostgresServer.start([]);
  await query(server.url(), `CREATE ROLE secured LOGIN PASSWORD 'right'; CREATE ROLE reader LOGIN`);
  await query(server.url(), 'ALTER SYSTEM SET ssl = on');
  await server.stop();
  const { uid, gid } = statSync(server.folder);
  const rules = join(server.folder, 'pg_hba.conf');
  writeFileSync(rules, `host all secured all scram-sha-256\n${readFileSync(rules, 'utf8')}`);
  for (const file of [CERTIFICATE, KEY]) {
    const copy = join(server.folder, file.slice(file.lastIndexOf('/') + 1));
    copyFileSync(file, copy);
    chownSync(copy, uid, gid);
    chmodSync(copy, 0o600);
  }
  await server.resumeOrStart();
});

afterAll(() => server.remove());

/** The address of a database on the server, changed as a test needs it. */
function address(database: string, changes: Partial<URL> = {}): string {
  return Object.assign(new URL(database), changes).href;
}

describe('a start on PostgreSQL', () => {
  test.for<[string, RegExp, (database: string) => Promise<string> | string]>([
    [
      'where nobody listens',
      /cannot be reached: nothing listens there\.$/,
      async (database) => address(database, { port: String(await freePort()) }),
    ],
    [
      'on a host that there is not',
      /cannot be (reached|used): .+\.$/,
      (database) => address(database, { hostname: 'nowhere.invalid' }),
    ],
    [
      'with a wrong password',
      /refuses the user or the password\.$/,
      (database) => address(database, { username: 'secured', password: 'wrong-secret' }),
    ],
    [
      'on a database that there is not',
      /does not exist\.$/,
      (database) => address(database, { pathname: 'nothing' }),
    ],
    [
      'as a user who may not make tables',
      /may not be changed by this user\.$/,
      (database) => address(database, { username: 'reader' }),
    ],
    [
      'on a database in another encoding',
      /has to be in the encoding UTF8, and is in LATIN1\.$/,
      async (database) => {
        const pathname = `${new URL(database).pathname}_latin1`;
        await query(
          database,
          `CREATE DATABASE ${pathname.slice(1)} ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0`,
        );
        return address(database, { pathname });
      },
    ],
    [
      'on a database of a newer version',
      /newer version of plant-store: it has the migration FromTheFuture9999999999999\.$/,
      async (database) => {
        await query(
          database,
          `CREATE TABLE migrations (id int PRIMARY KEY, timestamp bigint, name text);
           INSERT INTO migrations VALUES (1, 9999999999999, 'FromTheFuture9999999999999')`,
        );
        return database;
      },
    ],
    [
      'with a certificate that nobody vouches for',
      /cannot be used: self-signed certificate/,
      (database) => address(database, { hostname: 'localhost', search: 'sslmode=require' }),
    ],
    [
      'with a certificate of another host',
      /cannot be used: .*does not match certificate's altnames.*\.$/,
      (database) => address(database, { search: `sslmode=verify-ca&${ROOT_CERTIFICATE}` }),
    ],
    [
      'with a root certificate that there is not',
      /cannot be used: ENOENT.*\.$/,
      (database) => address(database, { search: 'sslmode=verify-full&sslrootcert=/nothing' }),
    ],
  ])('%s says so in one sentence without the password', async ([, reason, prepare]) => {
    const database = await createDatabase(server.url());

    const failure = await failedStart({ DATABASE_URL: await prepare(database) });

    expect(failure).toMatch(reason);
    expect(failure).not.toContain('\n');
    expect(failure).not.toContain('secret');
  });

  test.for<[string, string, string, RegExp]>([
    [
      'whose locale has no letters but those of ASCII',
      "LOCALE 'C' TEMPLATE template0",
      'SELECT 1',
      /^SEARCH=on needs a database whose locale knows more letters than ASCII/,
    ],
    [
      'whose user may not make extensions',
      '',
      'GRANT ALL ON SCHEMA public TO reader',
      /^SEARCH=on needs the extension pg_trgm: permission denied .*\.$/,
    ],
    [
      'whose user may not use the schema of the extension',
      '',
      'CREATE SCHEMA hidden; CREATE EXTENSION pg_trgm SCHEMA hidden; GRANT ALL ON SCHEMA public TO reader',
      /^SEARCH=on needs the extension pg_trgm, .*: GRANT USAGE ON SCHEMA hidden\.$/,
    ],
  ])('on a database %s has no search, and says so', async ([, options, prepare, reason]) => {
    const database = await createDatabase(server.url(), options);
    await query(database, prepare);
    const url = address(database, prepare.includes('reader') ? { username: 'reader' } : {});

    const failure = await failedStart({ DATABASE_URL: url, SEARCH: 'on' });
    const service = await startService({ DATABASE_URL: url });

    expect(failure).toMatch(reason);
    expect((await service.create({ id: 1, name: 'Aloe' })).status).toBe(200);
  });

  test('with the extension in a schema outside of its path builds the index of searches', async () => {
    const database = await createDatabase(server.url());
    await query(
      database,
      `CREATE SCHEMA "Extra"; CREATE EXTENSION pg_trgm SCHEMA "Extra"; GRANT USAGE ON SCHEMA "Extra" TO reader;
       GRANT ALL ON SCHEMA public TO reader`,
    );
    const service = await startService({
      DATABASE_URL: address(database, { username: 'reader' }),
      SEARCH: 'on',
    });
    await service.create({ id: 1, name: 'Aloe vera' });

    await vi.waitUntil(() => service.log.some((line) => line.includes('plants_search is complete')));
    expect((await service.send('GET', '/plants?search=ERA')).body).toMatchObject([{ id: 1 }]);
  });

  test.for([
    ['sslmode=disable', false],
    ['sslmode=no-verify', true],
    [`sslmode=require&${ROOT_CERTIFICATE}`, true],
    [`sslmode=verify-full&${ROOT_CERTIFICATE}`, true],
  ] as const)('with %s works, without a warning', async ([search, ssl]) => {
    const database = await createDatabase(server.url());
    const url = address(database, { hostname: 'localhost', search });

    const service = await startService({ DATABASE_URL: url });
    const connections = await query(
      database,
      `SELECT DISTINCT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name = 'plant-store'`,
    );

    expect((await fetch(`${service.url}/health/ready`)).status).toBe(200);
    expect(connections).toEqual([{ ssl }]);
    expect(service.log.join('')).not.toContain('warn');
  });
});

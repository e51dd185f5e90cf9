import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../test/support/postgres-server.js';
import type { DatabaseKind } from './databases.js';
import { cpuUsOf, SERVER_CORE } from './machine.js';

/** A server to measure. */
export interface Contender {
  readonly name: string;
  /** Arguments of Node.js: flags, then the file. */
  readonly command: readonly string[];
  readonly operations: readonly Operation[];
  readonly environment: (port: number, databaseUrl: string) => Record<string, string>;
}

export const OPERATIONS = ['create', 'read', 'page of 100'] as const;

export type Operation = (typeof OPERATIONS)[number];

/** The folder of the project, seen from `bench/dist/bench`. */
export const ROOT = join(import.meta.dirname, '..', '..', '..');

const TOKEN = 'a-token-for-the-benchmark';

/** The service of a checkout, with the flags of its `npm start`. */
export function service(
  name = 'the service',
  settings: Readonly<Record<string, string>> = {},
  checkout = ROOT,
): Contender {
  const scripts = readFileSync(join(checkout, 'package.json'), 'utf8');
  const [, flags = ''] = /"start": ".*?node (.*?)dist\/src\/main\.js/.exec(scripts) ?? [];
  return {
    name,
    command: [...flags.split(' ').filter(Boolean), join(checkout, 'dist', 'src', 'main.js')],
    operations: OPERATIONS,
    environment: (port, databaseUrl) => ({
      PORT: String(port),
      DATABASE_URL: databaseUrl,
      BOOTSTRAP_TOKEN: TOKEN,
      ...settings,
    }),
  };
}

/** Hand-written code that does the least: no server on this stack can be much faster. */
export const LIMIT: Record<DatabaseKind, Contender> = {
  SQLite: byHand('limit', 'limit/sqlite.js'),
  PostgreSQL: byHand('limit', 'limit/postgres.js'),
};

/** A framework that stores nothing. */
export const NOTHING: Contender = {
  ...byHand('NestJS, which stores nothing', 'nothing.js'),
  operations: ['create', 'read'],
};

export const TEXTBOOK: Contender = byHand('textbook', 'textbook.js');

function byHand(name: string, file: string): Contender {
  return {
    name,
    command: [join(import.meta.dirname, 'servers', file)],
    operations: OPERATIONS,
    environment: (port, databaseUrl) => ({
      BENCH_PORT: String(port),
      BENCH_DATABASE: databaseUrl,
      BENCH_TOKEN: TOKEN,
    }),
  };
}

/** A running server. */
export interface ServerProcess {
  readonly url: URL;
  readonly token: string;
  /** CPU that the process has used so far, in microseconds. */
  cpuUs(): number;
  stop(signal?: NodeJS.Signals): Promise<void>;
}

/** No server outlives a benchmark that fails. */
const running = new Set<ChildProcess>();
process.on('exit', () => running.forEach((server) => server.kill('SIGKILL')));

/** Starts a contender on its core and waits until it responds; its log goes to the folder. */
export async function startServer(
  { command, environment }: Contender,
  databaseUrl: string,
  folder: string,
): Promise<ServerProcess> {
  const port = await freePort();
  const log = openSync(join(folder, `log-${port}`), 'a');
  const server = spawn('taskset', ['-c', SERVER_CORE, process.execPath, ...command], {
    cwd: folder,
    env: { PATH: process.env['PATH'], NODE_ENV: 'production', ...environment(port, databaseUrl) },
    stdio: ['ignore', log, log],
  });
  running.add(server);
  const url = new URL(`http://127.0.0.1:${port}`);
  const responds = () => fetch(url).then(Boolean, () => false);
  while (!(await responds())) {
    if (server.exitCode !== null)
      throw new Error(`The server did not start: ${readFileSync(join(folder, `log-${port}`), 'utf8')}`);
    await sleep(10);
  }
  return {
    url,
    token: TOKEN,
    cpuUs: () => cpuUsOf(server.pid ?? 0),
    stop: async (signal) => {
      const exit = once(server, 'exit');
      server.kill(signal);
      await exit;
      running.delete(server);
    },
  };
}

/** Gives work a folder, and removes it afterwards. */
export async function inFolder<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'plant-store-bench-'));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

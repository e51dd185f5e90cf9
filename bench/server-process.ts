import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync, readFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Contender } from './contenders.js';

/** The core that servers run on; the load comes from another. */
const SERVER_CORE = '0';

const CLOCK_TICKS_PER_SECOND = 100;
const TOKEN = 'a-token-for-the-benchmark';

/** A server under measurement, in a folder of its own. */
export interface ServerProcess {
  readonly url: string;
  readonly token: string;
  readonly database: string;
  /** CPU that the process has used so far, user and system, in microseconds (proc_pid_stat(5); steps of 10 ms). */
  cpuUs(): number;
  /** The most memory that the process has held so far, in MB. */
  peakMb(): number;
  stop(): Promise<void>;
}

/** Starts a contender on a core of its own and waits until it answers. */
export async function startServer(
  { command, environment }: Contender,
  folder: string,
): Promise<ServerProcess> {
  const port = await freePort();
  const database = join(folder, 'plant-store.db');
  const log = openSync(join(folder, 'log'), 'a');
  const server = spawn('taskset', ['-c', SERVER_CORE, process.execPath, ...command], {
    cwd: folder,
    env: { PATH: process.env['PATH'], NODE_ENV: 'production', ...environment(port, database, TOKEN) },
    stdio: ['ignore', log, log],
  });
  const url = `http://127.0.0.1:${port}`;
  await answers(url, server);
  return {
    url,
    token: TOKEN,
    database,
    cpuUs: () => cpuUs(server),
    peakMb: () => peakMb(server),
    stop: async () => {
      server.kill('SIGTERM');
      await once(server, 'exit');
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
    await sleep(50);
  }
}

function cpuUs({ pid }: ChildProcess): number {
  const afterName = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  const [user, system] = [afterName[11], afterName[12]];
  return ((Number(user) + Number(system)) * 1_000_000) / CLOCK_TICKS_PER_SECOND;
}

function peakMb({ pid }: ChildProcess): number {
  const [, kilobytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1024;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

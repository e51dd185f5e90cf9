import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync, readFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Contender } from './contenders.js';
import { cpuUsOf, SERVER_CORE } from '../machine.js';

const TOKEN = 'a-token-for-the-benchmark';

/** A server under measurement. */
export interface ServerProcess {
  readonly pid: number;
  readonly url: string;
  readonly token: string;
  /** CPU that the process has used so far, in microseconds. */
  cpuUs(): number;
  /** The most memory that the process has held so far, in MB. */
  peakMb(): number;
  stop(): Promise<void>;
}

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
  const url = `http://127.0.0.1:${port}`;
  await answers(url, server);
  return {
    pid: server.pid ?? 0,
    url,
    token: TOKEN,
    cpuUs: () => cpuUsOf(server.pid ?? 0),
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

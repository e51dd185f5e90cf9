import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished } from 'vitest';
import { plant } from './plants.js';
import { createRequest } from './service.js';

/** A process of this project, as a shell would see it. */
export interface RunningProcess {
  readonly child: ChildProcessByStdio<Writable, Readable, Readable>;
  stdout(): string;
  stderr(): string;
  /** The exit code; null when a signal ended the process. */
  readonly exited: Promise<number | null>;
}

/** A service in a process of its own. */
export interface ServiceProcess extends RunningProcess {
  readonly url: string;
}

/** How a process is started, where that is not as usual. */
export interface ProcessOptions {
  /** Flags of Node.js. */
  readonly flags?: readonly string[];
  /** The folder of the built files; by default that of this project. */
  readonly built?: string;
  /** Whether the process and this one exchange messages, by `child.send()` and the event `message`. */
  readonly exchangesMessages?: boolean;
}

/** The folder of the built files of this project. */
export const BUILT = fileURLToPath(new URL('../../dist/src', import.meta.url));

/** What a process gets of the environment of the tests. */
const { PATH, NODE_COMPILE_CACHE } = process.env;

/** Runs a built file of the project in `folder`, with nothing of the environment but what is given. */
export function run(
  file: string,
  args: readonly string[],
  folder: string,
  environment: Record<string, string> = {},
  { flags = [], built = BUILT, exchangesMessages = false }: ProcessOptions = {},
) {
  const command = [process.execPath, ...flags, join(built, file), ...args];
  const [program = '', ...rest] = command;
  const child = spawn(program, rest, {
    cwd: folder,
    env: { PATH, NODE_COMPILE_CACHE, ...environment },
    stdio: ['pipe', 'pipe', 'pipe', exchangesMessages ? 'ipc' : 'ignore'],
  }) as RunningProcess['child'];
  onTestFinished(() => void child.kill('SIGKILL'));
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (chunk) => (stdout += chunk));
  child.stderr.setEncoding('utf8').on('data', (chunk) => (stderr += chunk));
  const exited = new Promise<number | null>((resolve) => child.on('close', resolve));
  return { child, stdout: () => stdout, stderr: () => stderr, exited } satisfies RunningProcess;
}

/** Starts the built service in `folder` on a free port and waits until it listens. */
export async function runService(
  folder: string,
  environment: Record<string, string> = {},
  options: ProcessOptions = {},
): Promise<ServiceProcess> {
  const service = run('main.js', [], folder, { PORT: '0', ...environment }, options);
  const url = await new Promise<string>((resolve, reject) => {
    service.child.stdout.on('data', () => {
      const [, address] = /try it at (http:\S+)\/console/.exec(service.stdout()) ?? [];
      if (address !== undefined) resolve(address);
    });
    service.child.on('close', () => reject(new Error(`The service did not start: ${service.stderr()}`)));
  });
  return { ...service, url };
}

/** Creates plants over connections until the service is gone; `sent` and `acknowledged` get their ids. */
export async function createUntilGone(
  url: string,
  { firstId, connections }: { readonly firstId: number; readonly connections: number },
  sent: Set<bigint>,
  acknowledged: Set<bigint>,
): Promise<void> {
  let nextId = firstId;
  const client = async () => {
    for (;;) {
      const id = nextId++;
      sent.add(BigInt(id));
      const response = await fetch(`${url}/plants`, createRequest(plant(id))).catch(() => undefined);
      if (response === undefined) return;
      expect(response.status).toBe(200);
      acknowledged.add(BigInt(id));
      await response.arrayBuffer().catch(() => undefined);
    }
  };
  await Promise.all(Array.from({ length: connections }, client));
}

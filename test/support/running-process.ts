import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

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

/** Runs a built file of the project in `folder`, with nothing of the environment but what is given. */
export function run(
  file: string,
  args: readonly string[],
  folder: string,
  environment: Record<string, string> = {},
) {
  const script = fileURLToPath(new URL(`../../dist/src/${file}`, import.meta.url));
  const child = spawn(process.execPath, [script, ...args], {
    cwd: folder,
    env: { PATH: process.env['PATH'], ...environment },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
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
): Promise<ServiceProcess> {
  const service = run('main.js', [], folder, { PORT: '0', ...environment });
  const url = await new Promise<string>((resolve, reject) => {
    service.child.stdout.on('data', () => {
      const [, address] = /try it at (http:\S+)\/docs/.exec(service.stdout()) ?? [];
      if (address !== undefined) resolve(address);
    });
    service.child.on('close', () => reject(new Error(`The service did not start: ${service.stderr()}`)));
  });
  return { ...service, url };
}

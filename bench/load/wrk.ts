import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { LOAD_CORE } from '../machine.js';
import type { ServerProcess } from '../servers/server-process.js';

const exec = promisify(execFile);

const SCRIPTS = join(import.meta.dirname, '..', '..', '..', 'bench', 'load');

/** What every load reports. */
interface Report {
  readonly wrong: number;
  readonly failed: number;
}

/** How much load comes, and from where. */
export interface Load {
  /** Each has one request at a time. */
  readonly connections: number;
  readonly seconds: number;
  readonly cores?: string;
}

/** Lets wrk run a script against a server; returns what the script reports when no answer was other than it should be. */
export async function wrk<Result extends Report>(
  server: ServerProcess,
  { connections, seconds, cores = LOAD_CORE }: Load,
  script: string,
  args: readonly string[],
): Promise<Result> {
  const options = ['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '10s'];
  const command = ['wrk', ...options, '-s', join(SCRIPTS, script), server.url, '--', server.token, ...args];
  const { stdout } = await exec('taskset', ['-c', cores, ...command]);
  const [, json] = /^RESULT (.+)$/m.exec(stdout) ?? [];
  if (json === undefined) throw new Error(`wrk did not report: ${stdout}`);
  const result = JSON.parse(json) as Result;
  if (result.wrong > 0 || result.failed > 0)
    throw new Error(`Some answers were not as they should be: ${json}`);
  return result;
}

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { LOAD_CORE } from './cores.js';
import type { ServerProcess } from './server-process.js';

const exec = promisify(execFile);

const SCRIPT = join(import.meta.dirname, '..', '..', 'bench', 'create.lua');

/** What wrk saw: how many creates were answered 200 with the right plant, and how long the answers took. */
export interface LoadResult {
  readonly created: number;
  readonly refused: number;
  readonly wrong: number;
  readonly failed: number;
  readonly durationUs: number;
  readonly p50Us: number;
  readonly p99Us: number;
}

let nextId = 1;

/** Creates plants with unique ids over a number of connections, each with one request at a time. */
export async function createPlants(
  server: ServerProcess,
  connections: number,
  seconds: number,
  cores = LOAD_CORE,
): Promise<LoadResult> {
  const firstId = nextId;
  nextId += 10_000_000;
  const wrk = [
    'wrk',
    '-t1',
    `-c${connections}`,
    `-d${seconds}s`,
    '--timeout',
    '10s',
    '-s',
    SCRIPT,
    server.url,
  ];
  const { stdout } = await exec('taskset', ['-c', cores, ...wrk, '--', server.token, String(firstId)]);
  const [, json] = /^RESULT (.+)$/m.exec(stdout) ?? [];
  if (json === undefined) throw new Error(`wrk did not report: ${stdout}`);
  const result = JSON.parse(json) as LoadResult;
  if (result.wrong > 0 || result.failed > 0)
    throw new Error(`Some answers were not as they should be: ${json}`);
  return result;
}

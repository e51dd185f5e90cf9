import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { LOAD_CORE } from './machine.js';
import type { Operation, ServerProcess } from './servers.js';

const exec = promisify(execFile);

const SCRIPTS = join(import.meta.dirname, '..', '..', 'bench', 'load');

/** How much load comes, and from where. */
export interface Load {
  /** Each has one request at a time. */
  readonly connections: number;
  readonly seconds: number;
  readonly cores?: string;
}

/** What wrk saw: how many requests were answered as they should be, and how long the answers took. */
export interface LoadResult {
  readonly answered: number;
  readonly wrong: number;
  readonly failed: number;
  readonly durationUs: number;
  readonly p50Us: number;
  readonly p99Us: number;
}

/** The distance of the ids of plants between which others are created. */
export const SPACING = 1000;

/** Beyond the ids of a store of 10,000,000 plants with this distance. */
let nextId = 1_000_000_000_000;
let nextSpread = 0;

/**
 * Creates plants with unique ids over a number of connections, each with one request at a time.
 *
 * @param slots spreads the ids over so many multiples of `SPACING`, instead of one after the other.
 */
export async function createPlants(server: ServerProcess, load: Load, slots = 0): Promise<LoadResult> {
  const first = slots === 0 ? nextId : nextSpread;
  if (slots === 0) nextId += 10_000_000;
  else nextSpread += 200_000;
  return wrk(server, load, 'create.lua', [first, slots, SPACING].map(String));
}

/** Plants whose ids have the same distance from each other, 1 if they are those that `createPlants` has made. */
export interface Plants {
  readonly first: number;
  readonly count: number;
  readonly distance: number;
}

/** The plants that the next `createPlants` makes first, of which there are so many at least. */
export function nextPlants(count: number): Plants {
  // wrk asks its script for one request that it does not send.
  return { first: nextId + 1, count, distance: 1 };
}

/**
 * Reads one path after the other, in which ID stands for an id.
 *
 * @param plants how many plants each answer has to have.
 */
export async function readPlants(
  server: ServerProcess,
  load: Load,
  path: string,
  { first, count, distance }: Plants,
  plants: number,
): Promise<LoadResult> {
  return wrk(server, load, 'read.lua', [path, ...[first, count, distance, plants].map(String)]);
}

/** The load of each operation; it reads what `createPlants` has created first. */
export const OPERATIONS = {
  create: (server: ServerProcess, load: Load) => createPlants(server, load),
  read: (server: ServerProcess, load: Load, plants: Plants) =>
    readPlants(server, load, '/plants/ID', plants, 1),
  'page of 100': (server: ServerProcess, load: Load, plants: Plants) =>
    readPlants(server, load, '/plants?limit=100&after=ID', plants, 100),
} satisfies Record<Operation, (server: ServerProcess, load: Load, plants: Plants) => Promise<LoadResult>>;

/** Lets wrk run a script against a server; returns what the script reports when no answer was other than it should be. */
async function wrk(
  server: ServerProcess,
  { connections, seconds, cores = LOAD_CORE }: Load,
  script: string,
  args: readonly string[],
): Promise<LoadResult> {
  const options = ['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '10s'];
  const command = ['wrk', ...options, '-s', join(SCRIPTS, script), server.url, '--', server.token, ...args];
  const { stdout } = await exec('taskset', ['-c', cores, ...command]);
  const [, json] = /^RESULT (.+)$/m.exec(stdout) ?? [];
  if (json === undefined) throw new Error(`wrk did not report: ${stdout}`);
  const result = JSON.parse(json) as LoadResult;
  if (result.wrong > 0 || result.failed > 0)
    throw new Error(`Some answers were not as they should be: ${json}`);
  return result;
}

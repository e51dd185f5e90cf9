import type { ServerProcess } from './server-process.js';
import { wrk } from './wrk.js';

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
  cores?: string,
): Promise<LoadResult> {
  const firstId = nextId;
  nextId += 10_000_000;
  const load = cores === undefined ? { connections, seconds } : { connections, seconds, cores };
  return wrk<LoadResult>(server, load, 'create.lua', [String(firstId)]);
}

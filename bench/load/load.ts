import type { ServerProcess } from '../servers/server-process.js';
import { type Load, wrk } from './wrk.js';

/** What wrk saw: how many requests were answered as they should be, and how long the answers took. */
export interface LoadResult {
  readonly answered: number;
  readonly wrong: number;
  readonly failed: number;
  readonly durationUs: number;
  readonly p50Us: number;
  readonly p99Us: number;
}

let nextId = 1;

/** Creates plants with unique ids over a number of connections, each with one request at a time. */
export async function createPlants(server: ServerProcess, load: Load): Promise<LoadResult> {
  const firstId = nextId;
  nextId += 10_000_000;
  return wrk<LoadResult>(server, load, 'create.lua', [String(firstId)]);
}

/** Plants that `createPlants` has made: their ids come one after the other. */
export interface Plants {
  readonly first: number;
  readonly count: number;
}

/** The plants that the next `createPlants` makes first, of which there are so many at least. */
export function nextPlants(count: number): Plants {
  // wrk asks its script for one request that it does not send.
  return { first: nextId + 1, count };
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
  { first, count }: Plants,
  plants: number,
): Promise<LoadResult> {
  return wrk<LoadResult>(server, load, 'read.lua', [path, ...[first, count, plants].map(String)]);
}

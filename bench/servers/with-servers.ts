import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Contender } from './contenders.js';
import type { BenchDatabase, Databases } from '../databases.js';
import { type ServerProcess, startServer } from './server-process.js';

/** Starts equal servers on one empty database, lets them be used, and leaves nothing behind. */
export async function withServers<Result>(
  contender: Contender,
  { databases, count, cores }: { databases: Databases; count: number; cores: string },
  use: (servers: readonly ServerProcess[], database: BenchDatabase) => Promise<Result>,
): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'plant-store-bench-'));
  const servers: ServerProcess[] = [];
  try {
    const database = await databases.create(contender.database, folder);
    while (servers.length < count) {
      servers.push(await startServer(contender, database.url, folder, cores));
    }
    const result = await use(servers, database);
    await stop(servers);
    await database.drop();
    return result;
  } finally {
    await stop(servers);
    rmSync(folder, { recursive: true, force: true });
  }
}

async function stop(servers: ServerProcess[]): Promise<void> {
  await Promise.all(servers.splice(0).map((server) => server.stop()));
}

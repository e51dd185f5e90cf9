import type { BenchDatabase } from './databases.js';
import type { LoadResult } from './load.js';
import type { ServerProcess } from './servers.js';

/** What one load did, and what it cost. */
export interface Metered {
  readonly answered: number;
  readonly perSecond: number;
  /** User and system time of the server processes. */
  readonly cpuUsEach: number;
  /** User and system time of the database's own processes. */
  readonly databaseCpuUsEach: number;
  /** Writes that shared one commit; NaN where the commits cannot be counted. */
  readonly writesPerCommit: number;
  /** Of the write-ahead log; NaN on SQLite. */
  readonly logBytesEach: number;
  /** Of the slowest of the loads that ran side by side. */
  readonly p50Us: number;
  readonly p99Us: number;
}

/** Lets loads run side by side and reads the clocks of all who work for them before and after. */
export async function meter(
  servers: readonly ServerProcess[],
  database: BenchDatabase,
  load: () => Promise<readonly LoadResult[]>,
): Promise<Metered> {
  const [commitsBefore, logBefore] = [await database.writeTransactions(), await database.logBytes()];
  const [cpuBefore, databaseCpuBefore] = [cpuUs(servers), database.cpuUs()];
  const results = await load();
  const [cpuAfter, databaseCpuAfter] = [cpuUs(servers), database.cpuUs()];
  const commits = (await database.writeTransactions()) - commitsBefore;
  const logBytes = (await database.logBytes()) - logBefore;
  const answered = sum(results.map((result) => result.answered));
  return {
    answered,
    perSecond: sum(results.map((result) => (result.answered * 1_000_000) / result.durationUs)),
    cpuUsEach: (cpuAfter - cpuBefore) / answered,
    databaseCpuUsEach: (databaseCpuAfter - databaseCpuBefore) / answered,
    writesPerCommit: answered / commits,
    logBytesEach: logBytes / answered,
    p50Us: Math.max(...results.map(({ p50Us }) => p50Us)),
    p99Us: Math.max(...results.map(({ p99Us }) => p99Us)),
  };
}

function cpuUs(servers: readonly ServerProcess[]): number {
  return sum(servers.map((server) => server.cpuUs()));
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

import type { DataSource } from 'typeorm';
import type { Finding } from '../../feature.js';
import { isCluster } from './citus-sites.js';

/** The settings that are off on each worker although it needs them to keep every commit, or the message of an error. */
const UNSAFE = `
  SELECT nodename || ':' || nodeport AS worker, success, result FROM run_command_on_workers($command$
    SELECT coalesce(string_agg(name, ', ' ORDER BY name), '') FROM pg_settings
    WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit') AND setting = 'off' $command$)`;

interface Examined {
  readonly worker: string;
  readonly success: boolean;
  readonly result: string;
}

/** Says which workers of a cluster may lose commits. */
export async function* examineWorkers(dataSource: DataSource): AsyncGenerator<Finding> {
  if (dataSource.options.type !== 'postgres' || !(await isCluster(dataSource))) return;
  const check = 'workers';
  const workers = await dataSource.query<Examined[]>(UNSAFE);
  const bad = workers.filter(({ success, result }) => !success || result !== '');
  for (const { worker, success, result } of bad)
    yield success
      ? {
          check,
          state: 'warning',
          message: `${worker} runs without ${result}: acknowledged plants may be lost when its machine fails.`,
          advice: 'Switch them on in its configuration.',
        }
      : { check, state: 'problem', message: `${worker} cannot be asked: ${result}.`, advice: 'Start it.' };
  if (bad.length === 0) yield { check, state: 'ok', message: `All ${workers.length} sync every commit.` };
}

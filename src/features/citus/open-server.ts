import { callbackify } from 'node:util';
import type { ClientBase } from 'pg';
import type { DataSource } from 'typeorm';
import { at, type ServerAddress } from '../../kernel/config/server-address.js';
import type { PostgresSettings } from '../../kernel/config/settings.js';
import { postgresOptions } from '../../kernel/database/data-source-options.js';
import { StoreDataSource } from '../../kernel/database/store-data-source.js';

/** Opens a server of the cluster with half as many connections as the pool has; without an address, one that `DATABASE_URL` names. */
export type Open = (address?: ServerAddress) => Promise<DataSource>;

/** Identifies a server. Only its standbys have the same number. */
const IDENTIFIER = 'SELECT system_identifier AS identifier FROM pg_control_system()';

/** The identifier of the server that the cluster itself finds at an address, or the message of an error. */
const IN_CLUSTER = `
  SELECT success, result FROM master_run_on_worker(
    ARRAY[CAST(? AS text)], ARRAY[CAST(? AS integer)], ARRAY['SELECT system_identifier FROM pg_control_system()'], false)`;

/** Opens servers with the settings of the database. */
export function openServersOf(cluster: DataSource, settings: PostgresSettings): Open {
  return (address) => {
    const half = { ...settings, poolSize: Math.ceil(settings.poolSize / 2) };
    if (address === undefined) return new StoreDataSource(postgresOptions(half)).initialize();
    const options = postgresOptions(at(address, half));
    const verify = sameServer(cluster, address);
    return new StoreDataSource({ ...options, extra: { ...options.extra, verify } }).initialize();
  };
}

/** Refuses a connection that leads to a different server than the cluster's own, such as a server of another cluster. */
function sameServer(cluster: DataSource, { host, port }: ServerAddress) {
  let known: string | undefined;
  return callbackify(async (client: Pick<ClientBase, 'query'>) => {
    const { rows } = await client.query<{ identifier: unknown }>(IDENTIFIER);
    if (known === undefined) {
      const [found] = await cluster.query<{ success: boolean; result: string }[]>(IN_CLUSTER, [host, port]);
      if (!found?.success) throw new Error(found?.result);
      known = found.result;
    }
    if (String(rows[0]?.identifier) !== known) throw new Error('Client was led to another server.');
  });
}

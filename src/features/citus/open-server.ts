import { callbackify } from 'node:util';
import type { ClientBase } from 'pg';
import type { DataSource } from 'typeorm';
import type { PostgresSettings } from '../../config/settings.js';
import { postgresOptions } from '../../database/data-source-options.js';
import { PostgresDataSource } from '../../database/postgres-data-source.js';

export interface Address {
  readonly host: string;
  readonly port: number;
}

/** Opens a server of the cluster with half as many connections as the pool has; without an address, the coordinator. */
export type Open = (address?: Address) => Promise<DataSource>;

/** Identifies a server. Only its standbys have the same number. */
const IDENTIFIER = 'SELECT system_identifier AS identifier FROM pg_control_system()';

/** The identifier of the coordinator, or the message of an error. */
const COORDINATOR = `SELECT success, result FROM run_command_on_coordinator('SELECT system_identifier FROM pg_control_system()')`;

/** Opens servers with the settings of the coordinator. */
export function openServersOf(coordinator: DataSource, settings: PostgresSettings): Open {
  return async (address) => {
    const { poolSize, url } = settings;
    const place = address && `${url.includes('?') ? '&' : '?'}host=${address.host}&port=${address.port}`;
    const options = postgresOptions({
      ...settings,
      url: url + (place ?? ''),
      poolSize: Math.ceil(poolSize / 2),
    });
    if (address === undefined) return new PostgresDataSource(options).initialize();
    const source = new PostgresDataSource({ ...options, extra: { ...options.extra, verify: sameServer() } });
    try {
      await source.initialize();
      const [its, ours] = await Promise.all([source, coordinator].map(identityOf));
      if (its !== ours) throw new Error('The server is of another cluster.');
      return source;
    } catch (error) {
      if (source.isInitialized) await source.destroy();
      throw error;
    }
  };
}

/** Refuses a connection of a pool that leads to a different server than the first connection did. */
function sameServer() {
  let known: unknown;
  return callbackify(async (client: Pick<ClientBase, 'query'>) => {
    const { rows } = await client.query<{ identifier: unknown }>(IDENTIFIER);
    known ??= rows[0]?.identifier;
    if (rows[0]?.identifier !== known) throw new Error('Client was led to another server.');
  });
}

async function identityOf(source: DataSource): Promise<string> {
  const [found] = await source.query<{ success: boolean; result: string }[]>(COORDINATOR);
  if (!found?.success) throw new Error(found?.result);
  return found.result;
}

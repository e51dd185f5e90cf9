import { hash } from 'node:crypto';
import { Client, type ClientConfig, type DatabaseError, type Pool, type QueryConfig } from 'pg';

/** `query` as it is called here: a text with its parameters. */
type Query = (text: string, parameters?: readonly unknown[]) => Promise<unknown>;

/** SQLSTATE of a write to a server that is a standby, perhaps since a moment ago. */
const READ_ONLY = '25006';

/**
 * A connection to PostgreSQL that prepares each statement with parameters once, and that does not outlive its server.
 *
 * The driver alone would go on with a connection whose server has stopped answering, or has become a standby: every
 * request that gets it from the pool would fail. Such a connection is closed, and the pool opens another one.
 */
export class PostgresClient extends Client {
  constructor(config?: ClientConfig) {
    super(config);
    const query: Query = async (text, parameters) => {
      try {
        return await super.query(parameters?.length ? prepared(text, parameters) : { text });
      } catch (error) {
        if (isOfNoUse(error)) void this.end();
        throw error;
      }
    };
    // One of the ways to call the driver's `query`: the only one that TypeORM takes.
    Object.assign(this, { query });
  }
}

/** Closes connections that come back to a pool in the middle of a transaction: what others write would become a part of it. */
export function refuseOpenTransactions(pool: Pool): void {
  pool.on('release', (_error, client) => {
    if (client instanceof PostgresClient && client.getTransactionStatus() !== 'I') void client.end();
  });
}

/** Names of statements by their texts, of which there are few. */
const NAMES = new Map<string, string>();

/** A named statement is parsed and planned once for each connection. */
function prepared(text: string, parameters: readonly unknown[]): QueryConfig {
  let name = NAMES.get(text);
  if (name === undefined) NAMES.set(text, (name = hash('sha1', text)));
  return { name, text, values: [...parameters] };
}

function isOfNoUse(error: unknown): boolean {
  const { code, message } = error as DatabaseError;
  return code === READ_ONLY || message === 'Query read timeout';
}

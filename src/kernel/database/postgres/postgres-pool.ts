import pg, { Pool, type PoolClient, type PoolConfig } from 'pg';
import { PostgresClient, type Servers } from './postgres-client.js';

type Done = (error: Error | undefined, client?: PoolClient, release?: () => void) => void;

/** What the pool says when all connections are in use for too long. */
const ALL_IN_USE = 'timeout exceeded when trying to connect';

/** A pool that connects to another server if one fails, and closes a connection released in the middle of a transaction. */
class PostgresPool extends Pool {
  constructor(options: PoolConfig & { readonly servers: Servers }) {
    super(options);
    const { servers } = options;
    const connect = (done: Done, attempts = servers.count) => {
      const { current } = servers;
      super.connect((error, client, release) => {
        if (error && error.message !== ALL_IN_USE) servers.leave(current);
        if (error && attempts > 1 && servers.current !== current) connect(done, attempts - 1);
        else done(error, client, release);
      });
    };
    // TypeORM passes a function.
    Object.assign(this, { connect });
    // The next writes on such a connection would become a part of the transaction.
    this.on('release', (_error, client) => {
      if (client instanceof PostgresClient && (client.isFull || client.getTransactionStatus() !== 'I'))
        void client.end();
    });
  }
}

/** The driver that TypeORM uses. */
export const POSTGRES = { ...pg, Pool: PostgresPool };

import { hash } from 'node:crypto';
import pg, { Client, Pool, TypeOverrides, types } from 'pg';
import { exactInteger } from '../column-types.js';

/** The servers of one database, by URL. One that fails makes way for the next one, which stays in use until it fails. */
export class Servers {
  private index = 0;

  constructor(private readonly urls: readonly string[]) {}

  get count(): number {
    return this.urls.length;
  }

  get current(): string | undefined {
    return this.urls[this.index];
  }

  leave(url: string | undefined): void {
    if (url === this.current) this.index = (this.index + 1) % this.count;
  }
}

type Query = (text: string, parameters?: readonly unknown[]) => Promise<unknown>;

/** SQLSTATE of a write to a standby. */
const READ_ONLY = '25006';

/** SQLSTATEs of a prepared statement that exists twice or not at all: a pooler has mixed up connections. */
const MIXED_UP = new Set(['42P05', '26000']);

/** Parses int8 (a count) and numeric (a sum of int8) to integers, as SQLite returns them. The driver alone returns texts. */
const TYPES = new TypeOverrides();
TYPES.setTypeParser(types.builtins.INT8, exactInteger);
TYPES.setTypeParser(types.builtins.NUMERIC, (text) => (/^-?\d+$/.test(text) ? exactInteger(text) : text));

/** The maximum number of prepared statements, of up to 100 KB each. TypeORM writes limits into texts, so there may be any number. */
const MAX_STATEMENTS = 500;

/**
 * A connection to PostgreSQL that prepares each statement with parameters once.
 *
 * It closes itself if its server no longer responds or is a standby, and the pool opens another connection. The driver alone
 * would keep it, and every request that gets it from the pool would fail.
 */
export class PostgresClient extends Client {
  /** Prepared statements by the text that the caller passed. */
  private readonly statements = new Map<string, { readonly name: string; readonly text: string }>();

  constructor(config: pg.ClientConfig & { readonly servers: Servers }) {
    const { servers } = config;
    const url = servers.current;
    super({ ...config, connectionString: url, types: TYPES });
    const query: Query = async (text, parameters) => {
      try {
        return await super.query(parameters?.length ? this.prepared(text, parameters) : { text });
      } catch (error) {
        if (isUnusable(error)) {
          servers.leave(url);
          void this.end();
        }
        throw namingPooler(error);
      }
    };
    // The driver's `query` has more signatures; TypeORM uses only this one.
    Object.assign(this, { query });
    // A lost connection already fails its statement. Without a listener, an error while the pool verifies a new connection would
    // end the process.
    this.on('error', () => undefined);
  }

  /** Whether the server keeps too many statements for this connection, so that another one has to take its place. */
  get isFull(): boolean {
    return this.statements.size > MAX_STATEMENTS;
  }

  /** A named statement is parsed and planned once for each connection. */
  private prepared(text: string, parameters: readonly unknown[]): pg.QueryConfig {
    let statement = this.statements.get(text);
    if (statement === undefined) {
      statement = { name: hash('sha1', text), text: numbered(text) };
      this.statements.set(text, statement);
    }
    return { ...statement, values: [...parameters] };
  }
}

/** Turns the placeholders `?` of a statement into `$1`, `$2` and so on. */
export function numbered(text: string): string {
  let count = 0;
  return text.includes('$1') ? text : text.replaceAll('?', () => `$${(count += 1)}`);
}

function namingPooler(error: unknown): unknown {
  const { code = '', message } = error as pg.DatabaseError;
  if (MIXED_UP.has(code))
    (error as Error).message =
      `${message}: a pooler is in front of PostgreSQL that does not keep prepared statements apart; PgBouncer needs version 1.21 and max_prepared_statements above 0`;
  return error;
}

function isUnusable(error: unknown): boolean {
  const { code, message } = error as pg.DatabaseError;
  return code === READ_ONLY || message === 'Query read timeout';
}

type Done = (error: Error | undefined, client?: pg.PoolClient, release?: () => void) => void;

/** What the pool says when all connections are in use for too long. */
const ALL_IN_USE = 'timeout exceeded when trying to connect';

/** A pool that connects to another server if one fails, and closes a connection released in the middle of a transaction. */
class PostgresPool extends Pool {
  constructor(options: pg.PoolConfig & { readonly servers: Servers }) {
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

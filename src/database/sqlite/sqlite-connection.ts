import Database, { type Options, type Statement } from 'better-sqlite3';

/** The maximum number of prepared statements. TypeORM writes numbers into texts, so there may be any number of texts. */
const MAX_STATEMENTS = 500;

/** Ends a statement with `RETURNING` whose last parameter is a JSON object: who writes, by the keys of rows. */
export const SIGNED = ' /* signed */';

/** A connection to a SQLite file that prepares each statement once and reads integers as `bigint`. */
export class SqliteConnection extends Database {
  /** Prepared statements by text, least recently used first. */
  private readonly statements = new Map<string, Statement>();

  constructor(path: string, options?: Options) {
    super(path, options);
    const prepareAnew = this.prepare.bind(this);
    const prepare = (text: string) => {
      const statement = this.statements.get(text) ?? prepareAnew(text).safeIntegers();
      if (text.endsWith(SIGNED) && !Object.hasOwn(statement, 'all')) this.sign(statement);
      this.keep(text, statement);
      return statement;
    };
    // Its type does not allow an override.
    Object.assign(this, { prepare });
  }

  /** Whether a statement writes; false if it cannot be prepared. */
  isWrite(text: string): boolean {
    try {
      return !this.prepare(text).readonly;
    } catch {
      return false;
    }
  }

  /** Runs a statement in a transaction in which triggers see who writes. */
  private sign(statement: Statement): void {
    const all = statement.all.bind(statement);
    const begin = this.prepare('INSERT INTO current_writers SELECT key, value FROM json_each(?)');
    const end = this.prepare('DELETE FROM current_writers');
    const run = this.transaction((...parameters: unknown[]) => {
      begin.run(parameters.pop());
      const rows = all(...parameters);
      end.run();
      return rows;
    });
    Object.assign(statement, { all: (...parameters: unknown[]) => run.immediate(...parameters) });
  }

  private keep(text: string, statement: Statement): void {
    this.statements.delete(text);
    this.statements.set(text, statement);
    const [oldest] = this.statements.keys();
    if (this.statements.size > MAX_STATEMENTS && oldest !== undefined) this.statements.delete(oldest);
  }
}

import Database, { type Options, type Statement } from 'better-sqlite3';

/** The maximum number of prepared statements. TypeORM writes numbers into the SQL, so the number of texts has no bound. */
const MAX_STATEMENTS = 500;

/** A connection to a SQLite file that prepares each statement once and reads integers as `bigint`. */
export class SqliteConnection extends Database {
  /** Prepared statements by text, least recently used first. */
  private readonly statements = new Map<string, Statement>();

  constructor(path: string, options?: Options) {
    super(path, options);
    const prepareAnew = this.prepare.bind(this);
    const prepare = (text: string) => {
      const statement = this.statements.get(text) ?? prepareAnew(text).safeIntegers();
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

  private keep(text: string, statement: Statement): void {
    this.statements.delete(text);
    this.statements.set(text, statement);
    const [oldest] = this.statements.keys();
    if (this.statements.size > MAX_STATEMENTS && oldest !== undefined) this.statements.delete(oldest);
  }
}

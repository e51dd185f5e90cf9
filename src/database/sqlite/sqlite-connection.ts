import Database, { type Options, type Statement } from 'better-sqlite3';

/** Statements that are kept prepared at most: TypeORM writes numbers into the text, so there is no end of texts. */
const MAX_STATEMENTS = 500;

/** A connection to a SQLite file that prepares each statement once, and reads integers as `bigint`: exactly. */
export class SqliteConnection extends Database {
  /** By text, the ones used last at the end. */
  private readonly statements = new Map<string, Statement>();

  constructor(path: string, options?: Options) {
    super(path, options);
    const prepareAnew = this.prepare.bind(this);
    const prepare = (text: string) => {
      const statement = this.statements.get(text) ?? prepareAnew(text).safeIntegers();
      this.keep(text, statement);
      return statement;
    };
    // Its type in TypeScript is one that no subclass can have.
    Object.assign(this, { prepare });
  }

  /** Whether a statement writes; false also for one that cannot be prepared. */
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

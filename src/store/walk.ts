/** The rows that the first statement of a walk reads, and the most: PostgreSQL reads each of them several times as long as SQLite. */
const FIRST_ROWS = 512;
const MOST_ROWS = { sqlite: 16_384, postgres: 4_096 };

/** Milliseconds after which a statement should have ended. */
const STATEMENT_MS = 20;

/** Milliseconds that a page may look for rows, and a count. */
export const PAGE_MS = 200;
export const COUNT_MS = 5_000;

/** The pace of a walk through a range in short statements, of which each reads a power of two rows. */
export class Walk {
  rows = FIRST_ROWS;
  private readonly mostRows: number;
  private readonly begunAt = performance.now();
  private steppedAt = this.begunAt;

  constructor(
    { isPostgres }: { readonly isPostgres: boolean },
    private readonly mostMs: number,
  ) {
    this.mostRows = MOST_ROWS[isPostgres ? 'postgres' : 'sqlite'];
  }

  /** Notes that a statement has ended; returns whether there is time for another one. */
  step(): boolean {
    const now = performance.now();
    const isFast = now - this.steppedAt < STATEMENT_MS;
    this.rows = isFast ? Math.min(2 * this.rows, this.mostRows) : Math.ceil(this.rows / 2);
    this.steppedAt = now;
    return now - this.begunAt < this.mostMs;
  }
}

/** The rows that the first statement of a walk reads, and the maximum. PostgreSQL takes several times as long as SQLite for each. */
const FIRST_ROWS = 512;
const MOST_ROWS = { sqlite: 16_384, postgres: 4_096 };

/** Milliseconds after which a statement should have ended. */
const STATEMENT_MS = 20;

/** Milliseconds that a page may search for rows, and a count. */
export const PAGE_MS = 200;
export const COUNT_MS = 5_000;

/** The pause after a slow statement if others wait, as a multiple of its duration. */
const PAUSE = 3;

/** Rows that a page searches however long it takes, so that smaller stores have no empty pages. */
const PAGE_ROWS = 131_072;

/** Resolves when the next slow statement may begin. */
let nextStart = Promise.resolve();
let waiting = 0;

/**
 * Runs slow statements one at a time, first come, first served, and with a pause three times as long while others wait. Together, all
 * slow statements take a quarter of a core at most from everyone else.
 */
export async function paced<Result>(read: () => Promise<Result>): Promise<Result> {
  const { promise: next, resolve: end } = Promise.withResolvers<void>();
  const before = nextStart;
  nextStart = next;
  waiting += 1;
  await before;
  waiting -= 1;
  const readAt = performance.now();
  try {
    return await read();
  } finally {
    if (waiting === 0) end();
    else setTimeout(end, PAUSE * (performance.now() - readAt));
  }
}

/** A walk through a range in short statements. Each reads a power of two rows. */
export class Walk {
  rows = FIRST_ROWS;
  private readonly mostRows: number;
  private walkedRows = 0;
  /** Milliseconds of its statements. */
  private spent = 0;

  constructor(
    { isPostgres }: { readonly isPostgres: boolean },
    private readonly mostMs: number,
  ) {
    this.mostRows = MOST_ROWS[isPostgres ? 'postgres' : 'sqlite'];
  }

  get hasTime(): boolean {
    return this.walkedRows < PAGE_ROWS || this.spent < this.mostMs;
  }

  step<Result>(read: () => Promise<Result>): Promise<Result> {
    return paced(async () => {
      const readAt = performance.now();
      const result = await read();
      const took = performance.now() - readAt;
      this.spent += took;
      this.walkedRows += this.rows;
      const isShort = took < STATEMENT_MS;
      this.rows = isShort ? Math.min(2 * this.rows, this.mostRows) : Math.ceil(this.rows / 2);
      return result;
    });
  }
}

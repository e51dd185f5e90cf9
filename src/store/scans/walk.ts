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

/** Resolves when the next slow statement may begin. */
let turn = Promise.resolve();
let waiting = 0;

/**
 * Runs a slow statement when it is its turn: one at a time, and with a pause three times as long while others wait. Together, all
 * slow statements take a quarter of a core at most from everyone else.
 */
export async function inTurn<Result>(read: () => Promise<Result>): Promise<Result> {
  const { promise: next, resolve: end } = Promise.withResolvers<void>();
  const before = turn;
  turn = next;
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

/** A walk through a range in short statements, which take turns. Each reads a power of two rows. */
export class Walk {
  rows = FIRST_ROWS;
  private readonly mostRows: number;
  private readonly begunAt = performance.now();

  constructor(
    { isPostgres }: { readonly isPostgres: boolean },
    private readonly mostMs: number,
  ) {
    this.mostRows = MOST_ROWS[isPostgres ? 'postgres' : 'sqlite'];
  }

  get hasTime(): boolean {
    return performance.now() - this.begunAt < this.mostMs;
  }

  /** Runs the next statement when it is its turn. */
  step<Result>(read: () => Promise<Result>): Promise<Result> {
    return inTurn(async () => {
      const readAt = performance.now();
      const result = await read();
      const isShort = performance.now() - readAt < STATEMENT_MS;
      this.rows = isShort ? Math.min(2 * this.rows, this.mostRows) : Math.ceil(this.rows / 2);
      return result;
    });
  }
}

import { setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds that the database may take to respond. A slower one could not serve requests either. */
const DATABASE_TIMEOUT_MS = 1_000;

/** Waits for a response, at most a second. @throws Error if none has arrived by then. */
export async function withTimeout<Answer>(answer: Promise<Answer>): Promise<Answer> {
  const late = sleep(DATABASE_TIMEOUT_MS, undefined, { ref: false }).then(() => {
    throw new Error(`No answer within ${DATABASE_TIMEOUT_MS} ms.`);
  });
  return Promise.race([answer, late]);
}

/** Waits at most a second; concurrent callers share one call of `ask`. */
export function sharedWithTimeout<Answer>(ask: () => Promise<Answer>): () => Promise<Answer> {
  let asked: Promise<Answer> | undefined;
  return async () => {
    asked ??= ask().finally(() => (asked = undefined));
    return withTimeout(asked);
  };
}

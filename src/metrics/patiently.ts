import { setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds that the database may take to answer a scrape. */
const PATIENCE_MS = 1_000;

/**
 * Asks a question that may stay unanswered for long: who asks waits for a second at most, and while there is no answer nobody asks
 * again. The answer is undefined when there is none.
 */
export function patiently<Answer>(ask: () => Promise<Answer>): () => Promise<Answer | undefined> {
  let asked: Promise<Answer | undefined> | undefined;
  return () => {
    asked ??= ask()
      .catch(() => undefined)
      .finally(() => (asked = undefined));
    return Promise.race([asked, sleep(PATIENCE_MS, undefined, { ref: false })]);
  };
}

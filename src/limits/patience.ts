import { setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds that the database may take to answer; one that takes longer does not serve requests either. */
const PATIENCE_MS = 1_000;

/** Waits at most a second for an answer. @throws Error when none has come by then. */
export async function inTime<Answer>(answer: Promise<Answer>): Promise<Answer> {
  const late = sleep(PATIENCE_MS, undefined, { ref: false }).then(() => {
    throw new Error(`No answer within ${PATIENCE_MS} ms.`);
  });
  return Promise.race([answer, late]);
}

/** Waits for a second at most; callers share an answer that is under way. */
export function patiently<Answer>(ask: () => Promise<Answer>): () => Promise<Answer> {
  let asked: Promise<Answer> | undefined;
  return async () => {
    asked ??= ask().finally(() => (asked = undefined));
    return inTime(asked);
  };
}

import { setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds that the database may take to answer; one that takes longer does not serve requests either. */
const PATIENCE_MS = 1_000;

/** There was no answer in time. */
export class ImpatienceError extends Error {}

/** Waits for an answer for a second at most. @throws ImpatienceError */
export async function inTime<Answer>(answer: Promise<Answer>): Promise<Answer> {
  return Promise.race([answer, impatience()]);
}

/** Asks a question for a second at most, and never again before it is answered: those who ask share it. */
export function patiently<Answer>(ask: () => Promise<Answer>): () => Promise<Answer> {
  let asked: Promise<Answer> | undefined;
  return async () => {
    asked ??= ask().finally(() => (asked = undefined));
    return inTime(asked);
  };
}

async function impatience(): Promise<never> {
  await sleep(PATIENCE_MS, undefined, { ref: false });
  throw new ImpatienceError(`No answer within ${PATIENCE_MS} ms.`);
}

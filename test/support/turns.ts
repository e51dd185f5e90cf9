import { onTestFinished } from 'vitest';

/** Returns a function that tells how many turns the event loop has had since, until the test is over. */
export function countTurns(): () => number {
  let turns = 0;
  const count = () => {
    turns += 1;
    counting = setImmediate(count);
  };
  let counting = setImmediate(count);
  onTestFinished(() => clearImmediate(counting));
  return () => turns;
}

import type { DatabaseSettings, Settings } from './config/settings.js';

/** Milliseconds for whatever has no time of its own. */
const MARGIN_MS = 2_000;

/** Ends the process, with 1, when a stop takes longer than all that it waits for: a database that hangs must not keep it. */
export function endInTime(
  signals: readonly NodeJS.Signals[],
  { timeouts, database }: Pick<Settings, 'timeouts' | 'database'>,
): void {
  const patience = timeouts.shutdownDelay + timeouts.shutdown + patienceWith(database) + MARGIN_MS;
  for (const signal of signals) {
    process.once(signal, () => setTimeout(giveUp, patience).unref());
  }
}

/** What waits for a statement may have waited for a connection before. */
function patienceWith(database: DatabaseSettings): number {
  return database.type === 'postgres' ? database.connectTimeout + database.statementTimeout : 0;
}

function giveUp(): never {
  process.stderr.write('plant-store did not stop in time, and ends without waiting for its database.\n');
  process.exit(1);
}

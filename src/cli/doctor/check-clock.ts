import type { DataSource } from 'typeorm';
import { type Finding, ok, problem, warning } from './finding.js';

/** Milliseconds by which the clocks of two machines that ask a time server do not differ. */
const TOLERANCE_MS = 5_000;

const SERVER_TIME = 'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now';

const SET = 'Set the clock, and keep it by NTP: tokens expire by it.';

/**
 * Whether the clock is past what has happened already, and agrees with that of the server.
 *
 * @param newest the time of the newest record, in milliseconds.
 */
export async function checkClock(dataSource: DataSource, newest: number): Promise<Finding> {
  const now = Date.now();
  const shown = new Date(now).toISOString();
  if (newest > now + TOLERANCE_MS)
    return problem(
      'clock',
      `${shown} is before the newest record, of ${new Date(newest).toISOString()}.`,
      SET,
    );
  if (dataSource.options.type !== 'postgres') return ok('clock', `${shown} is after the newest record.`);
  const [server] = await dataSource.query<{ now: number }[]>(SERVER_TIME);
  const difference = Math.round(Math.abs((server?.now ?? 0) - (now + Date.now()) / 2));
  const finding = `${shown} differs from the clock of PostgreSQL by ${difference} ms.`;
  return difference > TOLERANCE_MS ? warning('clock', finding, SET) : ok('clock', finding);
}

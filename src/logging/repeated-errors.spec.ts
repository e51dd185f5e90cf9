import { pino } from 'pino';
import { describe, expect, test, vi } from 'vitest';
import { RepeatedErrors } from './repeated-errors.js';

const FULL = Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' });
const AWAY = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
const MINUTE_MS = 60_000;

/** What is written to the log: the message of each line, and how many lines it stands for. */
function watched() {
  const lines: unknown[] = [];
  const write = (line: string) => {
    const { msg, leftOut } = JSON.parse(line) as { msg: string; leftOut?: number };
    lines.push(leftOut === undefined ? msg : [msg, leftOut]);
  };
  return { lines, errors: new RepeatedErrors(pino({}, { write })) };
}

describe('an error that is repeated', () => {
  test('is in the log once a minute for each cause, with a count of those left out', () => {
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    const { lines, errors } = watched();

    for (let count = 1; count <= 100; count += 1) {
      errors.warn('test', FULL);
      errors.warn('test', AWAY);
    }
    const atOnce = lines.splice(0);
    vi.advanceTimersByTime(MINUTE_MS);
    const afterAMinute = lines.splice(0);
    errors.warn('test', FULL);
    vi.advanceTimersByTime(2 * MINUTE_MS);
    const later = lines.splice(0);
    errors.warn('test', FULL);
    vi.useRealTimers();

    expect(atOnce).toEqual([FULL.message, AWAY.message]);
    expect(afterAMinute).toEqual([
      [`${FULL.message} (again)`, 99],
      [`${AWAY.message} (again)`, 99],
    ]);
    expect(later).toEqual([[`${FULL.message} (again)`, 1]]);
    expect(lines).toEqual([FULL.message]);
  });
});

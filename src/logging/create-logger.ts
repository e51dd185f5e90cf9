import { type Logger, pino } from 'pino';
import pretty from 'pino-pretty';
import type { LogSettings } from '../config/settings.js';
import { describeError } from './describe-error.js';
import { currentRequestId } from './request-context.js';

/** The root logger: one JSON object a line on standard output, or coloured lines for a person at a terminal. */
export function createLogger({ level, format }: LogSettings): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: describeError },
      mixin: () => {
        const requestId = currentRequestId();
        return requestId === undefined ? {} : { requestId };
      },
    },
    format === 'pretty'
      ? pretty({ sync: true, singleLine: true, translateTime: 'SYS:HH:MM:ss.l' })
      : pino.destination({ sync: true }),
  );
}

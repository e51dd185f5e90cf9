import { type DestinationStream, type Logger, pino } from 'pino';
import pretty from 'pino-pretty';
import type { LogFormat, LogSettings } from '../config/settings.js';
import { describeError } from './describe-error.js';
import { currentRequestId } from './request-context.js';

/** The root logger: one JSON object a line on standard output, or coloured lines for a person at a terminal. */
export function createLogger(
  { level, format }: LogSettings,
  destination: DestinationStream = standardOutput(format),
): Logger {
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
    destination,
  );
}

function standardOutput(format: LogFormat): DestinationStream {
  return format === 'pretty'
    ? pretty({ sync: true, singleLine: true, translateTime: 'SYS:HH:MM:ss.l' })
    : pino.destination({ sync: true });
}

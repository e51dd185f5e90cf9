import { type DestinationStream, type Logger, pino } from 'pino';
import pretty from 'pino-pretty';
import type { LogFormat, LogSettings } from '../config/settings.js';
import { describeError } from './describe-error.js';
import { currentRequestId } from './request-context.js';

const BATCH_LENGTH = 16_384;
const FLUSH_INTERVAL_MS = 100;

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
    : batchedOutput();
}

/**
 * Collects lines and writes many at once, at least ten times a second: a system call for each costs 3 µs a request.
 *
 * A log that cannot be written, because the disk is full or the reader has gone, does not stop the service.
 */
function batchedOutput(): DestinationStream {
  let lines = '';
  const flush = () => {
    if (lines !== '') process.stdout.write(lines);
    lines = '';
  };
  process.stdout.on('error', () => undefined);
  setInterval(flush, FLUSH_INTERVAL_MS).unref();
  process.once('exit', flush);
  return {
    write(line) {
      lines += line;
      if (lines.length >= BATCH_LENGTH) flush();
    },
  };
}

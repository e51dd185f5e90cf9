import type { LoggerService } from '@nestjs/common';
import type { Logger } from 'pino';
import { RepeatedErrors } from './repeated-errors.js';

/** Contexts that matter only when debugging: every module and route at start, and failures that start.ts reports itself. */
const QUIET_CONTEXTS = new Set([
  'ExceptionHandler',
  'InstanceLoader',
  'NestApplication',
  'NestFactory',
  'RouterExplorer',
  'RoutesResolver',
]);

type Level = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal';

/**
 * Sends what NestJS and its `Logger` write to pino: the last string argument is the context, an Error becomes `err`. Warnings
 * of one error are limited; see `RepeatedErrors`.
 */
export class NestLogger implements LoggerService {
  private readonly repeated: RepeatedErrors;

  constructor(private readonly logger: Logger) {
    this.repeated = new RepeatedErrors(logger);
  }

  verbose(message: unknown, ...rest: unknown[]): void {
    this.write('trace', message, rest);
  }

  debug(message: unknown, ...rest: unknown[]): void {
    this.write('debug', message, rest);
  }

  log(message: unknown, ...rest: unknown[]): void {
    this.write('info', message, rest);
  }

  warn(message: unknown, ...rest: unknown[]): void {
    if (message instanceof Error) this.repeated.warn(contextOf(rest), message);
    else this.write('warn', message, rest);
  }

  error(message: unknown, ...rest: unknown[]): void {
    this.write('error', message, rest);
  }

  fatal(message: unknown, ...rest: unknown[]): void {
    this.write('fatal', message, rest);
  }

  private write(level: Level, message: unknown, rest: unknown[]): void {
    const context = contextOf(rest);
    const effective = context && QUIET_CONTEXTS.has(context) ? 'debug' : level;
    if (message instanceof Error) this.logger[effective]({ context, err: message }, message.message);
    else this.logger[effective]({ context }, String(message));
  }
}

function contextOf(rest: readonly unknown[]): string | undefined {
  return rest.findLast((argument) => typeof argument === 'string');
}

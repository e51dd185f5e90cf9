import type { LoggerService } from '@nestjs/common';
import type { Level, Logger } from 'pino';
import { currentRequest } from './request-context.js';

/** Contexts that matter only when debugging: every module and route at start, and failures that start.ts reports itself. */
const QUIET_CONTEXTS = new Set([
  'ExceptionHandler',
  'InstanceLoader',
  'NestApplication',
  'NestFactory',
  'RouterExplorer',
  'RoutesResolver',
]);

/** Milliseconds between two warnings with the same cause. */
const INTERVAL_MS = 60_000;

/**
 * Sends what NestJS and its `Logger` write to pino, with the current request: the last string argument is the context, an Error
 * becomes `err`.
 *
 * Every request may meet the same error, such as a full disk, so a cause is logged as a warning once a minute at most.
 */
export class NestLogger implements LoggerService {
  readonly verbose = this.writer('trace');
  readonly debug = this.writer('debug');
  readonly log = this.writer('info');
  readonly warn = this.writer('warn');
  readonly error = this.writer('error');
  readonly fatal = this.writer('fatal');
  /** When each cause was last logged as a warning. There are few, because each has a code or a fixed message. */
  private readonly warnedAt = new Map<string, number>();

  constructor(private readonly logger: Logger) {}

  private writer(level: Level) {
    return (message: unknown, ...rest: unknown[]): void => {
      const context = rest.findLast((argument) => typeof argument === 'string');
      const effective = context && QUIET_CONTEXTS.has(context) ? 'debug' : level;
      const { id: requestId, trace } = currentRequest() ?? {};
      const line = { requestId, ...trace, context };
      if (!(message instanceof Error)) this.logger[effective](line, String(message));
      else if (level !== 'warn' || this.isNew(message))
        this.logger[effective]({ ...line, err: message }, message.message);
    };
  }

  private isNew(error: Error & { readonly code?: string }): boolean {
    const cause = error.code ?? error.message;
    const isNew = performance.now() - (this.warnedAt.get(cause) ?? -INTERVAL_MS) >= INTERVAL_MS;
    if (isNew) this.warnedAt.set(cause, performance.now());
    return isNew;
  }
}

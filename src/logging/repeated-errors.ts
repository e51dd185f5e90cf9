import type { Logger } from 'pino';
import { describeError } from './describe-error.js';
import { runOnBehalfOf } from './request-context.js';

/** Milliseconds between two lines on one cause. */
const INTERVAL_MS = 60_000;

/**
 * Warns of errors that each request may meet, such as a full disk: of each cause the first one as a whole, and once a minute
 * how many there were since.
 */
export class RepeatedErrors {
  /** How many were left out, by their causes; few, because each cause has a code or a fixed message. */
  private readonly leftOut = new Map<string, number>();

  constructor(private readonly logger: Logger) {}

  warn(context: string | undefined, err: Error): void {
    const { code = err.message } = describeError(err);
    const leftOut = this.leftOut.get(code);
    this.leftOut.set(code, leftOut === undefined ? 0 : leftOut + 1);
    if (leftOut !== undefined) return;
    this.logger.warn({ context, err }, err.message);
    runOnBehalfOf(undefined, () => this.countLater(context, code, err.message));
  }

  private countLater(context: string | undefined, code: string, message: string): void {
    setTimeout(() => {
      const leftOut = this.leftOut.get(code);
      this.leftOut.delete(code);
      if (!leftOut) return;
      this.leftOut.set(code, 0);
      this.logger.warn({ context, code, leftOut }, `${message} (again)`);
      this.countLater(context, code, message);
    }, INTERVAL_MS).unref();
  }
}

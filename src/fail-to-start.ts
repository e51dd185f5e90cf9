import { ConfigurationError } from './config/configuration.error.js';
import { DatabaseStartError } from './database/database-start.error.js';

/** Ends a start that failed: one clear sentence for what its operator can mend, the whole error for what he cannot. */
export function failToStart(error: unknown): never {
  process.stderr.write(`plant-store did not start. ${describeFailure(error)}\n`);
  // At once: a start may fail when the service listens already, and nobody would end it then.
  process.exit(1);
}

/** Why a start failed, in a sentence for its operator. */
export function describeFailure(error: unknown): string {
  if (error instanceof ConfigurationError || error instanceof DatabaseStartError) return error.message;
  if (!(error instanceof Error)) return String(error);
  const { syscall, message, stack } = error as NodeJS.ErrnoException;
  return syscall === 'listen' || syscall === 'getaddrinfo'
    ? `It cannot listen: ${message}.`
    : (stack ?? message);
}

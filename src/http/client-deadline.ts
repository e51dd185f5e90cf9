import type { ServerResponse } from 'node:http';
import { ErrorValue } from '../errors/error-value.js';
import { breakOff } from './break-off.js';

const watched = new WeakSet<ServerResponse>();

/**
 * How long an exchange that streams waits for its client to send or to take something, before it is broken off.
 *
 * The deadline that Node has for a whole request would end every long one; this one ends only those that stand still.
 */
export class ClientDeadline {
  private timer: NodeJS.Timeout | undefined;

  /** @param milliseconds that the client may let pass without any progress. */
  constructor(
    private readonly response: ServerResponse,
    private readonly milliseconds: number,
  ) {
    watched.add(response);
  }

  /** From now on it is the client that is waited for. */
  start(): void {
    this.timer = setTimeout(
      () => breakOff(this.response, ErrorValue.RequestTimeout, 'The request did not arrive in time.'),
      this.milliseconds,
    );
  }

  /** The client has done its part. */
  stop(): void {
    clearTimeout(this.timer);
  }
}

/** Whether an exchange has a deadline of its own. */
export function hasClientDeadline(response: ServerResponse): boolean {
  return watched.has(response);
}

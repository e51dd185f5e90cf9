import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Methods that change nothing (RFC 9110, section 9.2.1). */
const SAFE = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Requests that wait on one connection at most. They produce nothing that would make Node stop reading. */
const MAX_WAITING = 256;

type Handle = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * Keeps the order of requests that a client sends on one connection without waiting for answers: one that changes something
 * begins when the one before is answered, and the next begins when it is itself (RFC 9112, section 9.3.2). A connection on which
 * more than 256 wait is cut off.
 *
 * Node would begin with all of them at once, and a request without a body would overtake one with.
 *
 * @param previous the response to the request before on the same connection.
 */
export function inOrder(handle: Handle) {
  const waiting = new WeakSet<ServerResponse>();
  const counts = new WeakMap<Socket, number>();
  const count = (socket: Socket, change: 1 | -1): number => {
    const now = (counts.get(socket) ?? 0) + change;
    counts.set(socket, now);
    return now;
  };
  return (request: IncomingMessage, response: ServerResponse, previous: ServerResponse | undefined): void => {
    if (previous === undefined || previous.writableFinished || previous.destroyed) handle(request, response);
    else if (isSafe(request) && isSafe(previous.req) && !waiting.has(previous)) handle(request, response);
    else {
      const { socket } = request;
      if (count(socket, 1) > MAX_WAITING) {
        socket.destroy();
        return;
      }
      waiting.add(response);
      previous.once('close', () => {
        waiting.delete(response);
        count(socket, -1);
        // While it waited, its connection may have been lost, or its body have taken too long.
        if (!request.destroyed && !response.writableEnded) handle(request, response);
      });
    }
  };
}

function isSafe({ method = '' }: IncomingMessage): boolean {
  return SAFE.has(method);
}

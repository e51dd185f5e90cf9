import type { IncomingMessage, ServerResponse } from 'node:http';

/** How long a client that is still sending may take to notice that it was refused. */
const GRACE_MS = 500;

/**
 * Ends a connection on which a body is still coming that nobody will read.
 *
 * Not at once: a connection that is closed while data comes in is reset, and the client might never see the answer.
 */
export function refuseUpload(request: IncomingMessage, response: ServerResponse): void {
  if (request.complete) return;
  response.once('finish', () => {
    setTimeout(() => {
      if (!request.complete) request.destroy();
    }, GRACE_MS).unref();
  });
}

import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { setImmediate as turnOfTheEventLoop } from 'node:timers/promises';
import type { ClientDeadline } from '../http/client-deadline.js';

/** Bytes that the client has to take before its deadline begins anew. */
const PIECE_BYTES = 65_536;

/**
 * Answers 200 with lines as they come, several in one text, no faster than the client takes them.
 *
 * What fails before the first text is thrown and can still become an Error; later the answer breaks off. That the client
 * goes away ends `lines`, and is no failure.
 */
export async function sendLines(
  response: ServerResponse,
  lines: AsyncGenerator<string, void>,
  deadline: ClientDeadline,
  headers: OutgoingHttpHeaders,
): Promise<void> {
  const first = await lines.next();
  response.writeHead(200, headers);
  try {
    await pipeline(piecesOf(first, lines, deadline), response);
  } catch (error) {
    if (!isDeparture(error)) throw error;
  } finally {
    deadline.stop();
  }
}

async function* piecesOf(
  first: IteratorResult<string, void>,
  lines: AsyncGenerator<string, void>,
  deadline: ClientDeadline,
): AsyncGenerator<Buffer> {
  try {
    for (let text = first; text.done !== true; text = await lines.next()) {
      const bytes = Buffer.from(text.value);
      for (let start = 0; start < bytes.length; start += PIECE_BYTES) {
        deadline.start();
        yield bytes.subarray(start, start + PIECE_BYTES);
        deadline.stop();
      }
      // A client and a store that are always ready would leave no turn to anyone else.
      await turnOfTheEventLoop();
    }
    deadline.start();
  } finally {
    await lines.return();
  }
}

/** Whether the client has gone away; what was under way then may have failed as well. */
function isDeparture(error: unknown): boolean {
  const errors: unknown[] = error instanceof AggregateError ? error.errors : [error];
  return errors.some((each) => (each as NodeJS.ErrnoException).code === 'ERR_STREAM_PREMATURE_CLOSE');
}

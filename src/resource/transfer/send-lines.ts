import { once } from 'node:events';
import type { OutgoingHttpHeaders } from 'node:http';
import { setImmediate as turnOfTheEventLoop } from 'node:timers/promises';
import { currentRequest } from '../../logging/request-context.js';
import type { Exchange } from '../../http/connection/exchange.js';

/** Bytes that are written at a time: a client that does not take so many within the time for it is cut off. */
const PIECE_BYTES = 65_536;

/**
 * Answers 200 with lines as they come, several in one text, no faster than the client takes them.
 *
 * What fails before the first text is thrown and can still become an Error; later the answer breaks off. That the client
 * goes away ends `lines`, and is no failure.
 */
export async function sendLines(
  exchange: Exchange,
  lines: AsyncGenerator<string, void>,
  headers: OutgoingHttpHeaders,
): Promise<void> {
  const { response } = exchange;
  const request = currentRequest();
  if (request !== undefined) request.isStream = true;
  try {
    for await (const text of lines) {
      if (exchange.hasEnded) return;
      if (!response.headersSent) response.writeHead(200, headers);
      await send(exchange, text);
      if (exchange.failure !== undefined) throw exchange.failure;
      // A client and a store that are always ready would leave no turn to anyone else.
      await turnOfTheEventLoop();
    }
    if (exchange.hasEnded) return;
    if (!response.headersSent) response.writeHead(200, headers);
    response.end();
  } catch (error) {
    if (!exchange.hasEnded) throw error;
  }
}

async function send({ response, signal }: Exchange, text: string): Promise<void> {
  const bytes = Buffer.from(text);
  for (let start = 0; start < bytes.length; start += PIECE_BYTES) {
    signal.throwIfAborted();
    const isTaken = response.write(bytes.subarray(start, start + PIECE_BYTES));
    if (!isTaken) await once(response, 'drain', { signal });
  }
}

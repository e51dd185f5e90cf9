import { once } from 'node:events';
import type { OutgoingHttpHeaders } from 'node:http';
import { setImmediate as turnOfTheEventLoop } from 'node:timers/promises';
import { ApiException } from '../../errors/api.exception.js';
import { ErrorValue } from '../../errors/error-value.js';
import { currentRequest } from '../../logging/request-context.js';
import type { Exchange } from '../../http/connection/exchange.js';

/** Bytes that are written at a time: a client that does not take so many within the time for it is cut off. */
const PIECE_BYTES = 65_536;

/**
 * Bytes per millisecond that a client has to take: 128 KiB a second. What it takes longer, in all, counts against the request
 * timeout: one that is only just not idle would otherwise hold a snapshot of the database for hours.
 */
const LEAST_RATE = 131.072;

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
  const pace = { waited: 0, sent: 0 };
  try {
    for await (const text of lines) {
      if (exchange.hasEnded) return;
      if (!response.headersSent) response.writeHead(200, headers);
      await send(exchange, text, pace);
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

/**
 * @param pace milliseconds that the service has waited for the client, and bytes that it has sent.
 * @throws ApiException 40800 when the client is too slow.
 */
async function send(
  { request, response, signal, requestTimeout }: Exchange,
  text: string,
  pace: { waited: number; sent: number },
): Promise<void> {
  const bytes = Buffer.from(text);
  for (let start = 0; start < bytes.length; start += PIECE_BYTES) {
    signal.throwIfAborted();
    const piece = bytes.subarray(start, start + PIECE_BYTES);
    pace.sent += piece.length;
    if (response.write(piece)) continue;
    const since = performance.now();
    const cut = setTimeout(() => request.socket.destroy(), requestTimeout);
    await once(response, 'drain', { signal }).finally(() => clearTimeout(cut));
    pace.waited += performance.now() - since;
    if (pace.waited > requestTimeout + pace.sent / LEAST_RATE)
      throw new ApiException(ErrorValue.RequestTimeout, 'The client reads too slowly.');
  }
}

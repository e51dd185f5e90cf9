import { once } from 'node:events';
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { ApiException } from '../../errors/api.exception.js';
import { ErrorValue } from '../../errors/error-value.js';
import { takeTurn } from '../../database/event-loop.js';
import { currentRequest } from '../../logging/request-context.js';
import { type Exchange, exchangeOf } from '../connection/exchange.js';

/**
 * The minimum rate at which a client must read, in bytes per millisecond: 128 KiB a second. All time that it takes beyond this
 * rate counts against the request timeout. Otherwise, a client that reads a little now and then would hold a snapshot of the
 * database for hours.
 */
const LEAST_RATE = 131.072;

/**
 * Milliseconds after which a text that the client has not taken counts in the memory of all requests, and for how many bytes at most:
 * a quarter of that memory, because a single text may be larger than all of it.
 */
const HELD_AFTER_MS = 1_000;
const MOST_HELD = 8_388_608;

/**
 * Sends 200 with lines as they come, several in one text, no faster than the client takes them.
 *
 * A failure before the first text is thrown and can still become an Error; later the response breaks off. A client that goes
 * away ends `lines`, which is no failure.
 *
 * @throws ApiException 40800 when the client is too slow.
 */
export async function sendLines(
  response: ServerResponse,
  lines: AsyncGenerator<string | Buffer, void>,
  headers: OutgoingHttpHeaders,
): Promise<void> {
  const exchange = exchangeOf(response);
  const { requestTimeout } = exchange;
  const request = currentRequest();
  if (request !== undefined) request.isStream = true;
  let waited = 0;
  let sent = 0;
  try {
    for await (const text of lines) {
      if (exchange.hasEnded || response.writableEnded) return;
      if (!response.headersSent) response.writeHead(200, headers);
      if (text.length === 0) continue;
      const bytes = Buffer.byteLength(text);
      sent += bytes;
      if (!response.write(text)) {
        const since = performance.now();
        await untilTaken(exchange, bytes);
        waited += performance.now() - since;
        if (waited > requestTimeout + sent / LEAST_RATE)
          throw new ApiException(ErrorValue.RequestTimeout, 'The client reads too slowly.');
      }
      if (exchange.failure !== undefined) throw exchange.failure;
      // If client and store are always ready, this loop would block the event loop.
      await takeTurn();
    }
    if (exchange.hasEnded || response.writableEnded) return;
    if (!response.headersSent) response.writeHead(200, headers);
    response.end();
  } catch (error) {
    if (!exchange.hasEnded) throw error;
  }
}

/** Waits until the client has taken what was written, and cuts it if that takes too long, or if too many such clients hold memory. */
async function untilTaken(exchange: Exchange, bytes: number): Promise<void> {
  const { request, response, requestTimeout, signal, heldBytes } = exchange;
  const hold = () => {
    try {
      exchange.hold(heldBytes + Math.min(bytes, MOST_HELD));
    } catch {
      request.socket.destroy();
    }
  };
  const timers = [
    setTimeout(hold, HELD_AFTER_MS),
    setTimeout(() => request.socket.destroy(), requestTimeout),
  ];
  try {
    await once(response, 'drain', { signal });
  } finally {
    timers.forEach(clearTimeout);
    exchange.hold(heldBytes);
  }
}

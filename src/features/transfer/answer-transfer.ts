import { once } from 'node:events';
import type { OutgoingHttpHeaders } from 'node:http';
import type { Response } from 'express';
import { ApiException } from '../../errors/api.exception.js';
import { ErrorValue } from '../../errors/error-value.js';
import { assertMediaType, NDJSON } from '../../http/body/media-types.js';
import { streamBody } from '../../http/body/read-body.js';
import type { Exchange } from '../../http/connection/exchange.js';
import { takeTurn } from '../../limits/event-loop.js';
import { currentRequest } from '../../logging/request-context.js';
import { invalidParameter } from '../../resource/resource-errors.js';
import type { ImportResultDto } from './import-result.dto.js';

/** Bytes that an import holds: a part of the body, a line that has begun, and results. */
const IMPORT_BYTES = 262_144;

/**
 * Bytes per millisecond that a client has to take: 128 KiB a second. What it takes longer, in all, counts against the request
 * timeout: one that is only just not idle would otherwise hold a snapshot of the database for hours.
 */
const LEAST_RATE = 131.072;

/**
 * Imports the lines of a request as they arrive, and returns an ImportResult for each, in order.
 *
 * @throws ApiException 41500, and 50300 when too many imports are under way.
 */
export async function answerImport(
  { exchange }: Response,
  importLines: (chunks: AsyncIterable<Buffer>) => AsyncIterable<ImportResultDto[]>,
): Promise<void> {
  assertMediaType(exchange.request, [NDJSON]);
  exchange.hold(IMPORT_BYTES);
  const batches = importLines(streamBody(exchange));
  const lines = async function* () {
    for await (const results of batches)
      yield results.map((result) => `${JSON.stringify(result)}\n`).join('');
  };
  await sendLines(exchange, lines(), { 'Content-Type': NDJSON });
}

/**
 * Answers with an export as a file with this name.
 *
 * @throws ApiException 40002 when the query has a parameter, 50300 when too many exports, counts and searches are running.
 */
export async function answerExport(
  { exchange, req }: Response,
  lines: AsyncGenerator<string, void>,
  file: string,
): Promise<void> {
  const unknown = Object.keys(req.query).map((name) => `${name} is unknown`);
  if (unknown.length > 0) throw invalidParameter(unknown.join('; '));
  const headers = { 'Content-Type': NDJSON, 'Content-Disposition': `attachment; filename="${file}"` };
  if (exchange.request.method === 'HEAD') {
    exchange.response.writeHead(200, headers).end();
    return;
  }
  await sendLines(exchange, lines, headers);
}

/**
 * Sends 200 with lines as they come, several in one text, no faster than the client takes them.
 *
 * What fails before the first text is thrown and can still become an Error; later the response breaks off. A client that goes
 * away ends `lines`, which is no failure.
 *
 * @throws ApiException 40800 when the client is too slow.
 */
export async function sendLines(
  exchange: Exchange,
  lines: AsyncGenerator<string | Buffer, void>,
  headers: OutgoingHttpHeaders,
): Promise<void> {
  const { response, signal, requestTimeout } = exchange;
  const request = currentRequest();
  if (request !== undefined) request.isStream = true;
  let waited = 0;
  let sent = 0;
  try {
    for await (const text of lines) {
      if (exchange.hasEnded) return;
      if (!response.headersSent) response.writeHead(200, headers);
      sent += Buffer.byteLength(text);
      if (!response.write(text)) {
        const since = performance.now();
        const cut = setTimeout(() => exchange.request.socket.destroy(), requestTimeout);
        await once(response, 'drain', { signal }).finally(() => clearTimeout(cut));
        waited += performance.now() - since;
        if (waited > requestTimeout + sent / LEAST_RATE)
          throw new ApiException(ErrorValue.RequestTimeout, 'The client reads too slowly.');
      }
      if (exchange.failure !== undefined) throw exchange.failure;
      // A client and a store that are always ready would leave no turn to anyone else.
      await takeTurn();
    }
    if (exchange.hasEnded) return;
    if (!response.headersSent) response.writeHead(200, headers);
    response.end();
  } catch (error) {
    if (!exchange.hasEnded) throw error;
  }
}

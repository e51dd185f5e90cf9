import type { Response } from 'express';
import { assertMediaType, NDJSON } from '../../http/body/media-types.js';
import { streamBody } from '../../http/body/read-body.js';
import type { ImportResultDto } from './import-result.dto.js';
import { sendLines } from './send-lines.js';

/** Bytes that an import holds: a part of the body, a line that has begun, and results. */
const IMPORT_BYTES = 262_144;

/**
 * Imports the lines of a request as they come, and answers an ImportResult for each, in order.
 *
 * @throws ApiException 41500, and 50300 when too many imports are under way.
 */
export async function answerImport(
  { exchange }: Response,
  importLines: (chunks: AsyncIterable<Buffer>) => AsyncIterable<ImportResultDto[]>,
): Promise<void> {
  assertMediaType(exchange.request, [NDJSON]);
  exchange.hold(IMPORT_BYTES);
  await sendLines(exchange, textsOf(importLines(streamBody(exchange))), { 'Content-Type': NDJSON });
}

/**
 * Answers an export as a file with this name.
 *
 * @throws ApiException 50300 when too many exports and counts are running.
 */
export async function answerExport(
  { exchange }: Response,
  lines: AsyncGenerator<string, void>,
  file: string,
): Promise<void> {
  const headers = { 'Content-Type': NDJSON, 'Content-Disposition': `attachment; filename="${file}"` };
  if (exchange.request.method === 'HEAD') {
    exchange.response.writeHead(200, headers).end();
    return;
  }
  await sendLines(exchange, lines, headers);
}

async function* textsOf(batches: AsyncIterable<ImportResultDto[]>): AsyncGenerator<string, void> {
  for await (const results of batches) yield results.map((result) => `${JSON.stringify(result)}\n`).join('');
}

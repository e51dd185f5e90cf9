import type { Response } from 'express';
import { NDJSON } from '../../http/body/media-types.js';
import { assertMediaType, streamBody } from '../../http/body/read-body.js';
import type { ImportResultDto } from './import-result.dto.js';
import { sendLines } from './send-lines.js';
import type { ImportOptions } from './transfers.js';

/** Bytes that an import holds besides a long line: the part of the body that it works on, and the answers to that. */
const IMPORT_BYTES = 65_536;

/** Bytes that an export holds: what it has read and not sent yet. */
const EXPORT_BYTES = 1_048_576;

/**
 * Imports the lines of a request as they come, and answers an ImportResult for each, in order.
 *
 * @throws ApiException 41500, and 50300 when it takes more memory than there is.
 */
export async function answerImport(
  { exchange }: Response,
  importLines: (chunks: AsyncIterable<Buffer>, options: ImportOptions) => AsyncIterable<ImportResultDto[]>,
): Promise<void> {
  assertMediaType(exchange.request, [NDJSON]);
  exchange.hold(IMPORT_BYTES);
  const results = importLines(streamBody(exchange), { onHold: (bytes) => exchange.hold(bytes) });
  await sendLines(exchange, textsOf(results), { 'Content-Type': NDJSON });
}

/**
 * Answers an export as a file with this name.
 *
 * @throws ApiException 50300 when it takes more memory than there is, or too many exports and counts are running.
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
  exchange.hold(EXPORT_BYTES);
  await sendLines(exchange, lines, headers);
}

async function* textsOf(batches: AsyncIterable<ImportResultDto[]>): AsyncGenerator<string, void> {
  for await (const results of batches) yield results.map((result) => `${JSON.stringify(result)}\n`).join('');
}

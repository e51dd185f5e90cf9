import { gzipSync } from 'node:zlib';
import type { Request, Response } from 'express';

/** Sends constant content from memory: with files, each slow client would keep a descriptor open. */
export function staticContent(mediaType: string, content: Buffer) {
  let compressed: Buffer | undefined;
  return (request: Request, response: Response): void => {
    response.type(mediaType).vary('Accept-Encoding');
    if (request.acceptsEncodings('gzip') === false) {
      response.send(content);
      return;
    }
    compressed ??= gzipSync(content);
    response.setHeader('Content-Encoding', 'gzip').send(compressed);
  };
}

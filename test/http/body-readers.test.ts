import { promisify } from 'node:util';
import {
  BadRequestException,
  Controller,
  Post,
  Req,
  Res,
  UploadedFile,
  UseInterceptors,
} from '@nestjs/common';
import { FileInterceptor } from '@nestjs/platform-express';
import { raw, type Request, type Response } from 'express';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { RequireScope } from '../../src/kernel/auth/access.decorators.js';
import { requestText, sendRaw } from '../support/network/raw-connection.js';
import { extend, startService } from '../support/service.js';

const MB = 2 ** 20;

const readRaw = raw({ type: 'image/png', limit: '50mb' });

/** Bodies that are read by others than the service. */
@Controller('uploads')
class UploadsController {
  @Post('multer')
  @RequireScope('plants:write')
  @UseInterceptors(FileInterceptor('photo'))
  multer(@UploadedFile() { size }: { size: number }) {
    return { size };
  }

  @Post('raw')
  @RequireScope('plants:write')
  async raw(@Req() request: Request, @Res({ passthrough: true }) response: Response) {
    await promisify(readRaw)(request, response);
    return { size: (request.body as Buffer).length };
  }

  @Post('unwanted')
  @RequireScope('plants:write')
  unwanted(@Req() request: Request): never {
    request.on('data', () => undefined);
    throw new BadRequestException();
  }
}

beforeEach(() => extend('controllers', UploadsController));

/** How a form begins and ends. */
const BEGIN =
  '--x\r\nContent-Disposition: form-data; name="photo"; filename="a.png"\r\nContent-Type: image/png\r\n\r\n';
const END = '\r\n--x--\r\n';

/** The head of an upload of so many bytes. */
function headOf(reader: string, length: number, ...headers: string[]): string {
  const type = reader === 'multer' ? 'multipart/form-data; boundary=x' : 'image/png';
  const own = ['Connection: close', `Content-Type: ${type}`, `Content-Length: ${length}`, ...headers];
  return requestText(`POST /uploads/${reader}`, own);
}

function bodyOf(reader: string, size: number): string {
  const photo = 'x'.repeat(size);
  return reader === 'multer' ? BEGIN + photo + END : photo;
}

describe.for(['multer', 'raw'])('a body that is read by %s', (reader) => {
  test('is answered 408 when its end does not come in time', async () => {
    const service = await startService({}, undefined, { timeouts: { headers: 200, request: 300 } });

    const { ended } = await sendRaw(
      service.port,
      headOf(reader, 2 * MB) + bodyOf(reader, 1_000).slice(0, 1_000),
    );

    expect(await ended).toMatch(
      /^HTTP\/1\.1 408 Request Timeout\r\n[^]*X-Request-Id: [^]*\{"error":40800,[^{}]+\}$/,
    );
    await vi.waitUntil(() => service.log.some((line) => line.includes('"status":408')));
    expect(service.log.join('')).not.toContain('"level":"error"');
  });

  test('is no failure of the service when its client goes away', async () => {
    const service = await startService();
    const connection = await sendRaw(service.port, headOf(reader, 2 * MB, 'Expect: 100-continue'));
    await vi.waitUntil(() => connection.received() !== '');

    connection.socket.write(bodyOf(reader, 1_000).slice(0, 1_000));
    connection.socket.destroy();

    await vi.waitUntil(() => service.log.some((line) => line.includes(`/uploads/${reader}`)));
    expect(service.log.join('')).not.toContain('"level":"error"');
  });

  test('counts in the memory of all requests', async () => {
    const service = await startService();
    const [large, whole] = [
      headOf(reader, 40 * MB) + bodyOf(reader, 34 * MB).slice(0, 34 * MB),
      bodyOf(reader, 1_000),
    ];

    const connections = await Promise.all([1, 2].map(async () => sendRaw(service.port, large)));
    const refused = await Promise.race(connections.map(({ ended }) => ended));
    const small = await sendRaw(service.port, headOf(reader, whole.length) + whole);

    expect(refused).toMatch(/^(HTTP\/1\.1 503 [^]*"error":50300|$)/);
    expect(await small.ended).toMatch(/^HTTP\/1\.1 201 /);
    for (const { socket } of connections) socket.destroy();
  });
});

test('a body that goes on after its response is dropped, and its connection serves the next request', async () => {
  const service = await startService();
  const head = (size: number, reader: string) => headOf(reader, size).replace('Connection: close\r\n', '');
  const photo = bodyOf('raw', 40 * MB);

  const connection = await sendRaw(service.port, head(photo.length, 'unwanted'));
  await vi.waitUntil(() => connection.received().startsWith('HTTP/1.1 400 '));
  connection.socket.write(photo);
  connection.socket.write(head(photo.length, 'raw') + photo);

  await vi.waitUntil(() => /HTTP\/1\.1 201 [^]*\{"size":41943040\}$/.test(connection.received()));
});

import { describe, expect, test, vi } from 'vitest';
import { requestText, sendRaw } from '../support/network/raw-connection.js';
import { startService, TOKEN } from '../support/service.js';

const MB = 2 ** 20;

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

  test('is asked for when its client waits for that', async () => {
    const service = await startService();
    const body = bodyOf(reader, 1_000);

    const connection = await sendRaw(service.port, headOf(reader, body.length, 'Expect: 100-continue'));
    await vi.waitUntil(() => connection.received().startsWith('HTTP/1.1 100 Continue\r\n\r\n'));
    connection.socket.write(body);

    expect(await connection.ended).toMatch(/HTTP\/1\.1 201 [^]*\{"size":1000\}$/);
  });

  test('counts in the memory of all requests', async () => {
    const service = await startService();
    const [large, whole] = [
      headOf(reader, 20 * MB) + bodyOf(reader, 17 * MB).slice(0, 17 * MB),
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

test('a body that goes on after its response leaves no memory taken', async () => {
  const service = await startService();
  const head = headOf('unwanted', 20 * MB).replace('Connection: close\r\n', '');
  for (let refused = 0; refused < 2; refused += 1) {
    const { ended } = await sendRaw(service.port, head + bodyOf('unwanted', 17 * MB));
    expect(await ended).toMatch(/^(HTTP\/1\.1 400 |$)/);
  }

  const { ended } = await sendRaw(service.port, headOf('raw', 4 * MB) + bodyOf('raw', 4 * MB));

  expect(await ended).toMatch(/^HTTP\/1\.1 201 /);
});

test('a body that middleware reads is refused before authentication, and the log says why', async () => {
  const service = await startService();
  const head = headOf('middleware', 2 * MB, 'Expect: 100-continue').replace(TOKEN, 'nobody');

  const { ended } = await sendRaw(service.port, head);

  expect(await ended).toMatch(/^HTTP\/1\.1 500 [^]*"error":50000/);
  expect(service.log.join('')).toContain('Middleware has read the body before authentication.');
});

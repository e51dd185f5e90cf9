import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { type Service, startService, TOKEN } from '../support/service.js';

const MB = 2 ** 20;

describe('photos', () => {
  const put = async ({ url }: Service, id: number, photo: Buffer, type = 'image/png') =>
    fetch(`${url}/plants/${id}/photo`, {
      method: 'PUT',
      headers: { Authorization: `Bearer ${TOKEN}`, 'Content-Type': type },
      body: new Uint8Array(photo),
    });
  const get = async ({ url }: Service) =>
    fetch(`${url}/plants/1/photo`, { headers: { Authorization: `Bearer ${TOKEN}` } });

  test('are stored in parts and read as they were sent, and the next one takes their place', async () => {
    const service = await startService();
    await service.create({ id: 1, name: 'Aloe' });
    const photos = [5 * MB, 100_000].map((size) => randomBytes(size));

    for (const photo of photos) {
      expect((await put(service, 1, photo)).status).toBe(204);
      const found = await get(service);
      expect(found.headers.get('content-type')).toBe('image/png');
      expect(photo.equals(Buffer.from(await found.arrayBuffer()))).toBe(true);
    }
    expect((await service.send('DELETE', '/plants/1')).status).toBe(204);
    expect(await service.send('GET', '/plants/1/photo')).toMatchObject({ status: 404 });
  });

  test.for([
    ['404 without the plant', 2, 10, 'image/png', 404, 40401],
    ['413 beyond 5 MiB', 1, 5 * MB + 1, 'image/png', 413, 41300],
    ['415 for another type', 1, 10, 'image/gif', 415, 41500],
  ] as const)('are refused with %s, and the one before stays', async ([, id, size, type, status, error]) => {
    const service = await startService();
    await service.create({ id: 1, name: 'Aloe' });
    await put(service, 1, Buffer.from('before'));

    const refused = await put(service, id, randomBytes(size), type);

    expect(refused.status).toBe(status);
    expect(await refused.json()).toMatchObject({ error });
    expect(await (await get(service)).text()).toBe('before');
  });
});

import { describe, expect, test } from 'vitest';
import { withoutOtherFields } from '../support/plants.js';
import { startService } from '../support/service.js';

describe('PUT /plants/{id}', () => {
  test('creates with 201, exactly, and may be repeated with 200', async () => {
    const service = await startService();
    const plants = [
      { id: -(2n ** 63n), name: 'least' },
      { id: 0n, name: '', tag: '' },
      { id: 2n ** 53n + 1n, name: 'no double', tag: '草 \u{1F33F}' },
      { id: 2n ** 63n - 1n, name: 'most' },
    ];

    for (const { id, ...content } of plants) {
      const first = await service.send('PUT', `/plants/${id}`, { body: content });
      const again = await service.send('PUT', `/plants/${id}`, { body: content });
      const read = await service.send('GET', `/plants/${id}`);

      expect(first).toMatchObject({ status: 201, text: read.text });
      expect(again).toMatchObject({ status: 200, text: read.text });
      expect(first.headers.get('etag')).toBe(read.headers.get('etag'));
      expect(again.headers.get('etag')).toBe(read.headers.get('etag'));
    }
    expect(await service.plants()).toEqual(plants.map((plant) => Object.assign({ tag: null }, plant)));
  });

  test('replaces the whole plant with the id of the path, whatever the body says', async () => {
    const service = await startService();
    await service.create({ id: 1, name: 'Aloe', tag: 'succulent' });

    const answer = await service.send('PUT', '/plants/1', { body: { id: 2, name: 'Cactus', more: true } });

    expect(answer.status).toBe(200);
    expect(withoutOtherFields(answer.text)).toBe('{"id":1,"name":"Cactus"}');
    expect(await service.plants()).toEqual([{ id: 1n, name: 'Cactus', tag: null }]);
  });

  test('names the entity tag only of a plant that is all that was sent', async () => {
    const service = await startService();

    for (const [body, isNamed] of [
      ['{"name":"Aloe"}', true],
      ['{"name":"Aloe","tag":""}', true],
      ['{"id":1,"name":"Aloe"}', true],
      ['{"id":2,"name":"Aloe"}', false],
      ['{"name":"Aloe","more":true}', false],
      ['{"name":"Aloe","tag":"","__proto__":{}}', false],
    ] as const) {
      for (const status of [201, 200]) {
        const answer = await service.send('PUT', '/plants/1', { body });

        expect(answer.status).toBe(status);
        expect(answer.headers.has('etag'), body).toBe(isNamed);
      }
      await service.send('DELETE', '/plants/1');
    }
  });

  test('refuses a wrong body with 400 and changes nothing', async () => {
    const service = await startService();
    await service.create({ id: 1, name: 'Aloe', tag: 'succulent' });

    for (const [body, error] of [
      ['', 40000],
      ['[]', 40000],
      ['{"name":', 40000],
      [{}, 40001],
      [{ name: null }, 40001],
      [{ name: 'Aloe', tag: null }, 40001],
      [{ name: 'nul \0' }, 40001],
      ['{"name":"\\ud800"}', 40001],
    ] as const)
      for (const id of [1, 2])
        expect(await service.send('PUT', `/plants/${id}`, { body })).toMatchObject({
          status: 400,
          body: { error },
        });
    expect(await service.plants()).toEqual([{ id: 1n, name: 'Aloe', tag: 'succulent' }]);
  });
});

test('DELETE /plants/{id} answers 204 once, then 404, and frees the id', async () => {
  const service = await startService();
  for (const id of [-(2n ** 63n), 0n, 2n ** 53n + 1n, 2n ** 63n - 1n]) {
    const neighbour = id > 0n ? id - 1n : id + 1n;
    for (const each of [id, neighbour]) await service.create(`{"id":${each},"name":"Aloe"}`);

    const first = await service.send('DELETE', `/plants/${id}`);
    const second = await service.send('DELETE', `/plants/${id}`);

    expect(first).toMatchObject({ status: 204, text: '' });
    expect(first.headers.has('content-type')).toBe(false);
    expect(second).toMatchObject({ status: 404, body: { error: 40401 } });
    expect(await service.plants()).toEqual([{ id: neighbour, name: 'Aloe', tag: null }]);
    expect((await service.create(`{"id":${id},"name":"Cactus"}`)).status).toBe(200);
    for (const each of [id, neighbour]) await service.send('DELETE', `/plants/${each}`);
  }
});

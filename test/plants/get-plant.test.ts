import { describe, expect, test } from 'vitest';
import { withoutOtherFields } from '../support/plants.js';
import { startService } from '../support/service.js';

describe('GET /plants/{id}', () => {
  test('answers 200 with the plant, exactly', async () => {
    const service = await startService();
    const plants = [
      ['7', '{"id":7,"name":"Aloe","tag":"succulent"}'],
      ['0', '{"id":0,"name":"","tag":""}'],
      ['-9223372036854775808', '{"id":-9223372036854775808,"name":"least"}'],
      ['9223372036854775807', '{"id":9223372036854775807,"name":"草 \u{1F33F}"}'],
      ['9007199254740993', '{"id":9007199254740993,"name":"no double"}'],
    ] as const;
    for (const [, plant] of plants) await service.create(plant);

    for (const [id, plant] of plants) {
      const answer = await service.send('GET', `/plants/${id}`);

      expect(answer.status).toBe(200);
      expect(withoutOtherFields(answer.text)).toBe(plant);
      expect(answer.headers.get('content-type')).toBe('application/json');
      expect(answer.headers.get('cache-control')).toBe('private, no-cache');
    }
    expect(await service.send('GET', '/plants/8')).toMatchObject({
      status: 404,
      body: { error: 40401, message: 'There is no plant with the id 8.' },
    });
  });

  test('answers HEAD with the headers of GET, without the plant', async () => {
    const service = await startService();
    await service.create({ id: 7, name: 'Aloe' });

    const get = await service.send('GET', '/plants/7');
    const head = await service.send('HEAD', '/plants/7');

    expect(head).toMatchObject({ status: 200, text: '' });
    for (const name of ['content-length', 'content-type', 'etag']) {
      expect(head.headers.get(name)).toBe(get.headers.get(name));
    }
    expect(await service.send('HEAD', '/plants/8')).toMatchObject({ status: 404, text: '' });
  });
});

describe('the entity tag of a plant', () => {
  test('is strong, differs for every other plant, and is equal for equal plants', async () => {
    const service = await startService();
    const contents = [
      { name: 'Aloe' },
      { name: 'aloe' },
      { name: 'Aloe', tag: '' },
      { name: 'Aloe', tag: 'succulent' },
      { name: 'Aloesucculent' },
      { name: '', tag: 'Aloe' },
    ];
    const tags: (string | null)[] = [];
    for (const id of [1, 11]) {
      for (const body of contents) {
        await service.send('PUT', `/plants/${id}`, { body });
        tags.push((await service.send('GET', `/plants/${id}`)).headers.get('etag'));
      }
    }

    const again = await service.send('PUT', '/plants/1', { body: contents[0] });

    expect(new Set(tags).size).toBe(2 * contents.length);
    for (const tag of tags) expect(tag).toMatch(/^"[0-9a-f]{32}"$/);
    expect(again.headers.get('etag')).toBe(tags[0]);
  });
});

import { describe, expect, test } from 'vitest';
import { withoutOtherFields } from '../support/plants.js';
import { startService } from '../support/service.js';

const ALOE = { id: 1, name: 'Aloe', tag: 'succulent' };

describe('PATCH /plants/{id}', () => {
  test('changes the fields that it has, and removes those that are null', async () => {
    const service = await startService();

    for (const [body, content] of [
      [{ name: 'Cactus' }, { name: 'Cactus', tag: 'succulent' }],
      [{ tag: 'desert' }, { name: 'Aloe', tag: 'desert' }],
      [{ tag: '' }, { name: 'Aloe', tag: '' }],
      [{ tag: null }, { name: 'Aloe' }],
      [{ name: '', tag: null }, { name: '' }],
      [{}, { name: 'Aloe', tag: 'succulent' }],
      [
        { id: 2, more: [1] },
        { name: 'Aloe', tag: 'succulent' },
      ],
    ] as const) {
      await service.send('PUT', '/plants/1', { body: ALOE });

      const answer = await service.send('PATCH', '/plants/1', { body });
      const read = await service.send('GET', '/plants/1');

      expect(answer.status).toBe(200);
      expect(withoutOtherFields(answer.text)).toBe(JSON.stringify({ id: 1, ...content }));
      expect(read.text).toBe(answer.text);
      expect(answer.headers.get('etag')).toBe(read.headers.get('etag'));
      expect(await service.plants()).toEqual([{ id: 1n, tag: null, ...content }]);
    }
  });

  test('refuses a wrong patch with 400 and changes nothing', async () => {
    const service = await startService();
    await service.create(ALOE);

    for (const [body, error] of [
      ['', 40000],
      ['[]', 40000],
      ['null', 40000],
      [{ name: null }, 40001],
      [{ name: 1 }, 40001],
      [{ tag: 1 }, 40001],
      [{ tag: {} }, 40001],
      [{ name: 'Cactus', tag: '\0' }, 40001],
    ] as const)
      expect(await service.send('PATCH', '/plants/1', { body })).toMatchObject({
        status: 400,
        body: { error },
      });
    expect(await service.plants()).toEqual([{ id: 1n, name: 'Aloe', tag: 'succulent' }]);
  });

  test('takes merge patches', async () => {
    const service = await startService();
    await service.create(ALOE);

    for (const [type, status] of [
      ['application/merge-patch+json', 200],
      ['application/merge-patch+json; charset=utf-8', 200],
      ['application/json', 200],
      ['application/json-patch+json', 415],
      ['text/plain', 415],
    ] as const) {
      const headers = { 'Content-Type': type };
      const answer = await service.send('PATCH', '/plants/1', { body: { name: 'Cactus' }, headers });

      expect(answer.status, type).toBe(status);
      if (status === 200) continue;
      expect(answer.body).toMatchObject({ error: 41500 });
      expect(answer.headers.get('accept-patch')).toBe('application/merge-patch+json, application/json');
    }
  });

  test('is the only operation that takes merge patches', async () => {
    const service = await startService();
    const headers = { 'Content-Type': 'application/merge-patch+json' };

    const answers = [
      await service.create(ALOE, headers),
      await service.send('PUT', '/plants/1', { body: ALOE, headers }),
    ];

    for (const answer of answers) {
      expect(answer).toMatchObject({ status: 415, body: { error: 41500 } });
      expect(answer.headers.get('accept')).toBe('application/json');
    }
  });
});

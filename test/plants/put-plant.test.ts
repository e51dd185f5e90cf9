import { describe, expect, test } from 'vitest';
import { withoutOtherFields } from '../support/plants.js';
import { startService } from '../support/service.js';

describe('PUT /plants/{id}', () => {
  test.for([
    ['-9223372036854775808', { name: 'least' }],
    ['0', { name: '', tag: '' }],
    ['9007199254740993', { name: 'no double', tag: '草 \u{1F33F}' }],
    ['9223372036854775807', { name: 'most' }],
  ] as const)('creates %s with 201, and may be repeated with 200', async ([id, content]) => {
    const service = await startService();

    const first = await service.send('PUT', `/plants/${id}`, { body: content });
    const again = await service.send('PUT', `/plants/${id}`, { body: content });
    const read = await service.send('GET', `/plants/${id}`);

    expect(first).toMatchObject({ status: 201, text: read.text });
    expect(again).toMatchObject({ status: 200, text: read.text });
    expect(first.headers.get('etag')).toBe(read.headers.get('etag'));
    expect(again.headers.get('etag')).toBe(read.headers.get('etag'));
    expect(await service.plants()).toEqual([{ id: BigInt(id), tag: null, ...content }]);
  });

  test('replaces the whole plant', async () => {
    const service = await startService();
    await service.create({ id: 1, name: 'Aloe', tag: 'succulent' });

    const answer = await service.send('PUT', '/plants/1', { body: { name: 'Cactus' } });

    expect(answer.status).toBe(200);
    expect(withoutOtherFields(answer.text)).toBe('{"id":1,"name":"Cactus"}');
    expect(await service.plants()).toEqual([{ id: 1n, name: 'Cactus', tag: null }]);
  });

  test('takes the id of the path, whatever the body says', async () => {
    const service = await startService();

    const answer = await service.send('PUT', '/plants/1', { body: { id: 2, name: 'Aloe', more: true } });

    expect(answer.status).toBe(201);
    expect(withoutOtherFields(answer.text)).toBe('{"id":1,"name":"Aloe"}');
    expect(await service.plants()).toEqual([{ id: 1n, name: 'Aloe', tag: null }]);
  });

  test.for([
    ['{"name":"Aloe"}', true],
    ['{"name":"Aloe","tag":""}', true],
    ['{"id":1,"name":"Aloe"}', true],
    ['{"id":2,"name":"Aloe"}', false],
    ['{"name":"Aloe","more":true}', false],
    ['{"name":"Aloe","tag":"","__proto__":{}}', false],
  ] as const)(
    'names the entity tag only of a plant that is all that was sent: %s',
    async ([body, isNamed]) => {
      const service = await startService();

      for (const status of [201, 200]) {
        const answer = await service.send('PUT', '/plants/1', { body });

        expect(answer.status).toBe(status);
        expect(answer.headers.has('etag')).toBe(isNamed);
      }
    },
  );

  test.for([
    ['', 40000],
    ['[]', 40000],
    ['{"name":', 40000],
    [{}, 40001],
    [{ name: null }, 40001],
    [{ name: 'Aloe', tag: null }, 40001],
    [{ name: 'nul \0' }, 40001],
    ['{"name":"\\ud800"}', 40001],
  ] as const)('refuses the body %j with 400 and changes nothing', async ([body, error]) => {
    const service = await startService();
    await service.create({ id: 1, name: 'Aloe', tag: 'succulent' });

    for (const id of [1, 2]) {
      expect(await service.send('PUT', `/plants/${id}`, { body })).toMatchObject({
        status: 400,
        body: { error },
      });
    }
    expect(await service.plants()).toEqual([{ id: 1n, name: 'Aloe', tag: 'succulent' }]);
  });
});

import { describe, expect, test } from 'vitest';
import { importRequest, startService } from '../support/service.js';

describe('a field of plants with a default', () => {
  test('has it after a create, a PUT and an import without the field, and keeps its value in a PATCH', async () => {
    const service = await startService();
    const find = async (id: number) => (await service.send('GET', `/plants/${id}`)).body;

    const created = await service.create({ id: 1, name: 'Aloe' });
    await service.create({ id: 2, name: 'Fern', light: 'dark' });
    await service.request('/plants/import', importRequest([{ id: 3, name: 'Agave' }]));
    const patched = await service.send('PATCH', '/plants/2', { body: { name: 'Lady fern' } });
    const put = await service.send('PUT', '/plants/1', { body: { name: 'Aloe vera' } });

    expect(created.body).toEqual({ name: 'Aloe', light: 'medium' });
    expect(patched.body).toEqual({ id: 2, name: 'Lady fern', light: 'dark' });
    expect(put.body).toEqual({ id: 1, name: 'Aloe vera', light: 'medium' });
    expect(await find(3)).toEqual({ id: 3, name: 'Agave', light: 'medium' });
  });

  test.for([['PATCH'], ['PUT']] as const)('is not removed by a %s with null', async ([method]) => {
    const service = await startService();
    await service.create({ id: 1, name: 'Fern', light: 'dark' });

    const answer = await service.send(method, '/plants/1', { body: { name: 'Fern', light: null } });

    expect(answer).toMatchObject({ status: 400, body: { error: 40001 } });
    expect((await service.send('GET', '/plants/1')).body).toMatchObject({ light: 'dark' });
  });
});

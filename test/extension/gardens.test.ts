import { describe, expect, test } from 'vitest';
import { type Service, startService } from '../support/service.js';

/** Ids that a JavaScript number rounds, beside some that it does not. */
const IDS = ['1', '2', '9007199254740993', '9223372036854775807'];

async function startWithGardens() {
  const service = await startService();
  await Promise.all(IDS.map((id) => service.create(`{"id":${id},"name":"Aloe ${id}"}`)));
  const send = async (method: string, path: string, body?: object) =>
    service.send(method, `/gardens${path}`, { body });
  for (const name of ['Kew', 'Eden/1']) await send('PUT', `/${encodeURIComponent(name)}`, {});
  return { service, send };
}

async function idsIn(service: Service, garden: string, query = ''): Promise<string[]> {
  const { text } = await service.send('GET', `/gardens/${garden}/plants${query}`);
  return Array.from(text.matchAll(/"id":(-?\d+)/g), ([, id = '']) => id);
}

describe('gardens', () => {
  test('have a name that is a key, in the path', async () => {
    const { send } = await startWithGardens();
    await send('PUT', '/Kew', { note: 'large' });

    expect((await send('GET', '/Kew')).text).toBe('{"name":"Kew","note":"large"}');
    expect((await send('GET', '/Eden%2F1')).text).toBe('{"name":"Eden/1"}');
    expect((await send('DELETE', '/Kew')).status).toBe(204);
    expect(await send('DELETE', '/Kew')).toMatchObject({
      status: 404,
      body: { error: 40401, message: 'There is no garden with the name Kew.' },
    });
  });

  test.for([
    ['PUT', '/Sissinghurst', { note: '' }, 400, 40001],
    ['PUT', '/%00', {}, 400, 40002],
    ['PUT', `/${'x'.repeat(65)}`, {}, 400, 40002],
    ['GET', '/Hidcote', undefined, 404, 40401],
    ['GET', '/Hidcote/plants', undefined, 404, 40401],
    ['GET', '/Kew/plants?after=x', undefined, 400, 40002],
    ['PUT', '/Hidcote/plants/1', undefined, 404, 40401],
    ['PUT', '/Kew/plants/3', undefined, 404, 40401],
    ['POST', '/Kew/merge', { name: 'Hidcote' }, 404, 40401],
  ] as const)('refuse %s /gardens%s', async ([method, path, body, status, error]) => {
    const { send } = await startWithGardens();

    expect(await send(method, path, body)).toMatchObject({ status, body: { error } });
  });

  test('are sent without an entity tag when a field of the body is ignored', async () => {
    const { send } = await startWithGardens();

    const answers = [{ note: 'old' }, { note: 'old', name: 'Kew' }, { name: 'Eden' }, { notes: 'new' }].map(
      async (body) => (await send('PUT', '/Kew', body)).headers.has('etag'),
    );

    expect(await Promise.all(answers)).toEqual([true, true, false, false]);
  });

  test('have many plants, which are in many gardens', async () => {
    const { service, send } = await startWithGardens();
    for (const id of [...IDS, '1']) expect((await send('PUT', `/Kew/plants/${id}`)).status).toBe(204);
    await send('PUT', '/Eden%2F1/plants/1');

    expect(await idsIn(service, 'Kew')).toEqual(IDS);
    expect(await idsIn(service, 'Kew', '?limit=1&after=2')).toEqual(['9007199254740993']);
    await service.send('DELETE', '/plants/1');
    expect(await idsIn(service, 'Kew')).toEqual(IDS.slice(1));
    expect((await send('DELETE', '/Kew/plants/9223372036854775807')).status).toBe(204);
    expect(await idsIn(service, 'Kew')).toEqual(IDS.slice(1, 3));
    expect(await idsIn(service, 'Eden%2F1')).toEqual([]);
  });

  test('merge as a whole, whatever else is written meanwhile', async () => {
    const { service, send } = await startWithGardens();
    for (const id of IDS.slice(0, 3)) await send('PUT', `/Kew/plants/${id}`);
    for (const id of IDS.slice(1)) await send('PUT', `/Eden%2F1/plants/${id}`);

    const [merged, ...others] = await Promise.all([
      send('POST', '/Kew/merge', { name: 'Eden/1' }),
      ...[3, 4, 5].map(async (id) => service.create({ id, name: 'Beside' })),
    ]);

    expect(merged).toMatchObject({ status: 200, body: { name: 'Kew' } });
    expect(others.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(await idsIn(service, 'Kew')).toEqual(IDS);
    expect((await send('GET', '/Eden%2F1')).status).toBe(404);
  });
});

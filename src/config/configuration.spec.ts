import { describe, expect, test } from 'vitest';
import { Configuration } from './configuration.js';
import { Settings } from './settings.js';

const readSettings = (environment: NodeJS.ProcessEnv) =>
  new Configuration([Settings], environment).get(Settings);

describe('Configuration', () => {
  test.for([
    ['8080', 8080],
    ['0', 0],
    ['', 3000],
    [undefined, 3000],
  ] as const)('takes PORT=%s for %s', ([value, port]) => {
    expect(readSettings({ PORT: value }).PORT).toBe(port);
  });

  test.for(['0x1F90', '1e3', ' 3000 ', '-1', '3000.0', '65536', '9'.repeat(400)])(
    'refuses PORT=%j',
    (value) => {
      expect(() => readSettings({ PORT: value })).toThrow(
        'The configuration is not valid: PORT must be a whole number from 0 to 65535.',
      );
    },
  );

  test.for([
    ['100', { rate: 100, burst: 100 }],
    ['100:200', { rate: 100, burst: 200 }],
    ['', undefined],
  ] as const)('takes RATE_LIMIT=%s for %o', ([value, limit]) => {
    expect(readSettings({ RATE_LIMIT: value }).rateLimit).toEqual(limit);
  });

  test('gives the headers of a request no longer than the request', () => {
    expect(readSettings({ REQUEST_TIMEOUT_MS: '3000' }).timeouts).toMatchObject({
      headers: 3_000,
      request: 3_000,
    });
  });
});

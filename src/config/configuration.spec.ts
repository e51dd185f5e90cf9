import { describe, expect, test } from 'vitest';
import { BackupSettings } from '../features/backups/backups.settings.js';
import { Configuration } from './configuration.js';
import { Settings } from './settings.js';

const read = (environment: NodeJS.ProcessEnv) => new Configuration([Settings, BackupSettings], environment);

const readSettings = (environment: NodeJS.ProcessEnv) => read(environment).get(Settings);

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
    ['90s', 90_000],
    ['15m', 900_000],
    ['24h', 86_400_000],
    ['7d', 604_800_000],
  ] as const)('takes BACKUP_INTERVAL=%s for %d ms', ([value, interval]) => {
    expect(read({ BACKUP_INTERVAL: value }).get(BackupSettings).interval).toBe(interval);
  });

  test.for(['0h', '24', 'h', '1.5h', '-1h', '1w', '1h30m', '24H', '100000d'])(
    'refuses BACKUP_INTERVAL=%s',
    (value) => {
      expect(() => readSettings({ BACKUP_INTERVAL: value })).toThrow(
        'BACKUP_INTERVAL must be a whole number',
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

  test('makes no backups unless it is told where, and none of PostgreSQL', () => {
    expect(read({}).get(BackupSettings).folder).toBeUndefined();
    expect(() => readSettings({ BACKUP_FOLDER: '/backups', DATABASE_URL: 'postgres://db/plants' })).toThrow(
      'BACKUP_FOLDER must be empty on PostgreSQL',
    );
  });
});

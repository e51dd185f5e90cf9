import { describe, expect, test } from 'vitest';
import { Configuration } from '../../kernel/config/configuration.js';
import { Settings } from '../../kernel/config/settings.js';
import { BackupSettings } from './backups.settings.js';

const readSettings = (environment: NodeJS.ProcessEnv) =>
  new Configuration([Settings, BackupSettings], environment).get(BackupSettings);

describe('BackupSettings', () => {
  test.for([
    ['90s', 90_000],
    ['15m', 900_000],
    ['24h', 86_400_000],
    ['7d', 604_800_000],
  ] as const)('takes BACKUP_INTERVAL=%s for %d ms', ([value, interval]) => {
    expect(readSettings({ BACKUP_INTERVAL: value }).interval).toBe(interval);
  });

  test.for(['0h', '24', 'h', '1.5h', '-1h', '1w', '1h30m', '24H', '100000d'])(
    'refuses BACKUP_INTERVAL=%s',
    (value) => {
      expect(() => readSettings({ BACKUP_INTERVAL: value })).toThrow(
        'BACKUP_INTERVAL must be a whole number',
      );
    },
  );

  test('makes no backups unless it is told where, and none of PostgreSQL', () => {
    expect(readSettings({}).folder).toBeUndefined();
    expect(() => readSettings({ BACKUP_FOLDER: '/backups', DATABASE_URL: 'postgres://db/plants' })).toThrow(
      'BACKUP_FOLDER must be empty on a Citus cluster and on PostgreSQL',
    );
  });
});

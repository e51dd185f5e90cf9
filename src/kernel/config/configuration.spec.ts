import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../test/support/temporary-folder.js';
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

  test.for(['0x1F90', '1e3', '30 00', '-1', '3000.0', '65536', '9'.repeat(400)])(
    'refuses PORT=%j',
    (value) => {
      expect(() => readSettings({ PORT: value })).toThrow(
        'The configuration is not valid: PORT must be a whole number from 0 to 65535.',
      );
    },
  );

  test('takes a secret from a file, and refuses two values, a missing or empty file, a file for another setting, and quotes', () => {
    const [file, utf16] = [join(temporaryFolder(), 'secret'), join(temporaryFolder(), 'secret')];
    writeFileSync(file, '\uFEFFa-token-of-16-characters\r\n');
    writeFileSync(utf16, 'a-token-of-16-characters\n', 'utf16le');

    expect(readSettings({ BOOTSTRAP_TOKEN_FILE: file }).BOOTSTRAP_TOKEN).toBe('a-token-of-16-characters');
    for (const [environment, reason] of [
      [{ BOOTSTRAP_TOKEN_FILE: file, BOOTSTRAP_TOKEN: 'another-token-of-16' }, 'are both set'],
      [{ DATABASE_URL_FILE: `${file}.missing` }, 'DATABASE_URL_FILE cannot be read (ENOENT)'],
      [{ DATABASE_URL_FILE: '/dev/null' }, 'DATABASE_URL_FILE is empty'],
      [{ DATABASE_URL_FILE: tmpdir() }, 'DATABASE_URL_FILE cannot be read (EISDIR)'],
      [{ BOOTSTRAP_TOKEN_FILE: utf16 }, 'BOOTSTRAP_TOKEN_FILE cannot be read (not UTF-8)'],
      [{ HOST_FILE: file }, 'HOST_FILE is not a setting: set HOST'],
      [{ HOST: '"0.0.0.0"' }, 'HOST must not be in quotes'],
      [{ BASE_URL: "'https://example.org'" }, 'BASE_URL must not be in quotes'],
    ] as const)
      expect(() => readSettings(environment)).toThrow(reason);
  });

  test('names variables that end like a setting and are none', () => {
    const environment = { PLANT_STORE_DATABASE_URL: 'x', webhook_key_file: 'x', database_url: 'x' };
    const others = { PLANTS_SERVICE_PORT: '1', POSTGRES_HOST: 'db', PATH: '/bin', LOG_LEVEL: 'info' };

    const { strays } = new Configuration([Settings], { ...environment, ...others });

    expect(strays).toEqual(['PLANT_STORE_DATABASE_URL', 'database_url']);
  });

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

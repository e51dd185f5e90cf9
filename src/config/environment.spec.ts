import { describe, expect, test } from 'vitest';
import { readSettings } from './environment.js';

describe('readSettings', () => {
  test.for([
    ['8080', 8080],
    ['0', 0],
    ['', 3000],
    [undefined, 3000],
  ] as const)('takes PORT=%s for %s', ([value, port]) => {
    expect(readSettings({ PORT: value }).port).toBe(port);
  });

  test.for([
    '0x1F90',
    '1e3',
    ' 3000 ',
    '3000\n',
    '+3000',
    '-1',
    '3000.0',
    '٣٠٠٠',
    '65536',
    'Infinity',
    '9'.repeat(400),
  ])('refuses PORT=%j', (value) => {
    expect(() => readSettings({ PORT: value })).toThrow(
      'The configuration is not valid: PORT must be a whole number from 0 to 65535.',
    );
  });
});

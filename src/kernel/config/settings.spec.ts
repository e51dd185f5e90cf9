import { describe, expect, test } from 'vitest';
import { Configuration } from './configuration.js';
import { Settings } from './settings.js';

const APP = 'https://app.example.org';

const readSettings = (environment: NodeJS.ProcessEnv) =>
  new Configuration([Settings], environment).get(Settings);

describe('CORS_ORIGINS', () => {
  test.for([
    ['', []],
    [`${APP},http://localhost:5173`, [APP, 'http://localhost:5173']],
    [` ${APP} , http://[::1]:8080 `, [APP, 'http://[::1]:8080']],
    [
      'capacitor://localhost,https://xn--bcher-kva.example',
      ['capacitor://localhost', 'https://xn--bcher-kva.example'],
    ],
  ] as const)('may be %o', ([value, origins]) => {
    expect(readSettings({ CORS_ORIGINS: value }).corsOrigins).toEqual(origins);
  });

  test.for([
    '*',
    'null',
    'app.example.org',
    '//app.example.org',
    ' ',
    '',
    'https://',
    'file://',
    'https://*.example.org',
    'https://APP.example.org',
    'HTTPS://app.example.org',
    'https://bücher.example',
    'https://user:secret@app.example.org',
    'https://app.example.org:70000',
    ...['/', '/path', '?', '#', ':443'].map((end) => `${APP}${end}`),
  ])('may not have %o in it', (origin) => {
    const read = () => readSettings({ CORS_ORIGINS: `${APP},${origin}` });

    expect(read).toThrow(
      /^The configuration is not valid: CORS_ORIGINS must be origins .* number 2 is not valid\.$/,
    );
    expect(read).not.toThrow(/secret/);
  });
});

test.for(['0', '1:0', '1:', ':1', '1.5', '1/s', '1000001', '1:2:3', '-1'])(
  'RATE_LIMIT may not be %s',
  (value) => {
    expect(() => readSettings({ RATE_LIMIT: value })).toThrow(
      'RATE_LIMIT must be requests a second from 1 to',
    );
  },
);

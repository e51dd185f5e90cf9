import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { startService } from '../../support/service.js';

const BUILT = join(import.meta.dirname, '../../../dist/console');

const SOURCES = "img-src 'self' data:; connect-src 'self'";

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8';

describe('the console', () => {
  test.for([
    [
      '/console/',
      `style-src 'self'; ${SOURCES}; base-uri 'self'; form-action 'none'; frame-ancestors 'none'; ` +
        "require-trusted-types-for 'script'; trusted-types 'none'",
    ],
    ['/docs/', `style-src 'self' 'unsafe-inline'; ${SOURCES}`],
  ] as const)(
    '%s runs only its own scripts and styles, of which the service has all',
    async ([path, policy]) => {
      const service = await startService();

      const page = await service.request(path);
      const parts = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(
        ([, part = '']) => new URL(part, service.url + path),
      );
      const answers = await Promise.all(parts.map(async ({ pathname }) => service.request(pathname)));

      expect(page.headers.get('content-security-policy')).toBe(
        `default-src 'none'; script-src 'self'; ${policy}`,
      );
      expect(page.headers.get('cache-control')).toBe('no-store');
      expect(page.text).not.toMatch(/<script>|<style|style=/);
      expect(new Set(parts.map(({ pathname }) => extname(pathname)))).toEqual(
        new Set(['.css', '.js', '.svg']),
      );
      for (const { status, headers } of answers) {
        expect(status).toBe(200);
        expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      }
    },
  );

  test('has 72 KiB at most, compressed', () => {
    const files = readdirSync(BUILT).filter((name) => !/^(licenses|docs)/.test(name));

    const bytes = files.map((name) => gzipSync(readFileSync(join(BUILT, name))).length);

    expect(files.length).toBeGreaterThan(2);
    expect(bytes.reduce((sum, size) => sum + size)).toBeLessThanOrEqual(72 * 1024);
  });

  test('comes with the licenses of the packages in it', async () => {
    const service = await startService();

    const { status, text, headers } = await service.request('/console/licenses.md');

    expect(status).toBe(200);
    expect(text).toContain('preact');
    expect(headers.get('cache-control')).toBe('no-store');
  });

  test.for([
    ['/console', '/console/'],
    ['/console?a=b', '/console/'],
    ['/docs', '/docs/'],
  ] as const)('%s leads to %s', async ([alias, path]) => {
    const service = await startService();

    const answer = await service.request(alias, { redirect: 'manual' });

    expect(answer.status).toBe(308);
    expect(new URL(answer.headers.get('location') ?? '', service.url + alias).pathname).toBe(path);
  });

  test.for([
    [{}, {}, "connect-src 'self';"],
    [{ OIDC_CLIENT_ID: 'console' }, { clientId: 'console' }, "connect-src 'self' https://login.example.org;"],
  ] as const)(
    'talks to the identity provider only where it signs people in: %j',
    async ([settings, signIn, policy]) => {
      const service = await startService({
        OIDC_ISSUER: 'https://login.example.org/realms/garden',
        OIDC_AUDIENCE: 'plants',
        ...settings,
      });

      const page = await service.request('/console/');
      const { body } = await service.request('/console/sign-in.json');

      expect(page.headers.get('content-security-policy')).toContain(policy);
      expect(body).toEqual(signIn);
    },
  );

  test('has nothing elsewhere', async () => {
    const service = await startService();

    for (const path of ['/console/nowhere.js', '/console/..%2F..%2Fpackage.json'])
      expect(await service.request(path)).toMatchObject({ status: 404, body: { error: 40400 } });
  });
});

describe('/', () => {
  test('leads a browser to the console, also behind a proxy', async () => {
    const service = await startService();

    const { status, headers } = await service.request('/', {
      headers: { Accept: BROWSER },
      redirect: 'manual',
    });

    expect(status).toBe(302);
    expect(headers.get('vary')).toBe('Accept');
    const location = headers.get('location') ?? '';
    for (const prefix of ['http://example.org/', 'http://example.org/store/'])
      expect(new URL(location, prefix).href).toBe(`${prefix}console/`);
  });

  test('is not there for a program, and has no method but to read it', async () => {
    const service = await startService();

    for (const Accept of ['*/*', 'application/json', 'application/json, text/html;q=0.9', 'image/png']) {
      const answer = await service.request('/', { headers: { Accept }, redirect: 'manual' });

      expect(answer, Accept).toMatchObject({ status: 404, body: { error: 40400 } });
    }
    const refused = await service.request('/', { method: 'POST', headers: { Accept: BROWSER } });
    expect(refused).toMatchObject({ status: 405, body: { error: 40500 } });
    expect(refused.headers.get('allow')).toBe('GET, HEAD, OPTIONS');
  });
});

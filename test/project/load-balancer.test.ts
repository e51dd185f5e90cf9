import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { statusOf } from '../../src/errors/error-value.js';

const FOLDER = new URL('../../docker/haproxy/', import.meta.url);
const ANSWERS = readdirSync(FOLDER).filter((name) => name.endsWith('.http'));

function read(name: string): string {
  return readFileSync(new URL(name, FOLDER), 'utf8');
}

describe('the load balancer', () => {
  test.for(ANSWERS)('answers an Error of its own as the service does: %s', (name) => {
    const [head = '', body = ''] = read(name).split('\n\n');
    const { error, message } = JSON.parse(body) as { error: number; message: string };

    expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${statusOf(error)} `));
    expect(head).toContain('\nContent-Type: application/json\n');
    expect(head).toContain(`\nContent-Length: ${Buffer.byteLength(body)}\n`);
    expect(message).toMatch(/^[A-Z].+\.$/);
  });

  test('has an answer for each of its errors, and uses each', () => {
    const used = [...read('haproxy.cfg').matchAll(/errorfile (\d{3}) \S+\/(\S+)/g)];

    expect(used.map(([, status]) => status)).toEqual([
      '400',
      '408',
      '413',
      '422',
      '501',
      '500',
      '502',
      '503',
      '504',
    ]);
    expect(new Set(used.map(([, , name]) => name))).toEqual(new Set(ANSWERS));
  });
});

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { Settings } from '../../src/kernel/config/settings.js';
import { statusOf } from '../../src/kernel/errors/error-value.js';

const DOCKER = fileURLToPath(new URL('../../docker', import.meta.url));

test.for(readdirSync(join(DOCKER, 'haproxy')).filter((name) => name.endsWith('.http')))(
  'HAProxy answers an Error of its own as the service does: %s',
  (name) => {
    const [head = '', body = ''] = readFileSync(join(DOCKER, 'haproxy', name), 'utf8').split('\n\n');
    const { error, message } = JSON.parse(body) as { error: number; message: string };

    expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${statusOf(error)} `));
    expect(head).toContain('\nContent-Type: application/json\n');
    expect(head).toContain(`\nContent-Length: ${Buffer.byteLength(body)}\n`);
    expect(message).toMatch(/^[A-Z].+\.$/);
  },
);

describe('docker-compose.yml', () => {
  test('gives PostgreSQL connections for as many instances as the load balancer finds', () => {
    const compose = readFileSync(join(DOCKER, '../docker-compose.yml'), 'utf8');
    const [, instances] =
      /server-template instance- 1-(\d+)/.exec(readFileSync(join(DOCKER, 'haproxy/haproxy.cfg'), 'utf8')) ??
      [];
    /** For the command line, for psql, and those that PostgreSQL keeps for superusers. */
    const others = 20;

    const limits = [...compose.matchAll(/max_connections=(\d+)/g)].map(([, limit]) => Number(limit));

    expect(limits).toHaveLength(compose.match(/command: postgres /g)?.length ?? 0);
    for (const limit of limits) {
      expect(limit).toBeGreaterThanOrEqual(Number(instances) * new Settings().DATABASE_POOL_SIZE + others);
    }
  });
});

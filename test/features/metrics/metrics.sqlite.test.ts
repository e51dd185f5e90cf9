import { readFileSync } from 'node:fs';
import { describe, expect, test, vi } from 'vitest';
import { AccessTokensService } from '../../../src/kernel/auth/access-tokens.service.js';
import { GroupCommit, WriteQueue } from '../../../src/kernel/store/group-commit.js';
import { readMetrics, seriesOf } from '../../support/metrics.js';
import { sendRaw } from '../../support/network/raw-connection.js';
import { createMany, plant } from '../../support/plants.js';
import { type Service, startService } from '../../support/service.js';
import { issue } from '../../support/tokens.js';

/** The metrics as soon as they are as they should be: a request is over a moment after its client has the answer. */
async function awaitMetrics(service: Service, check: (metrics: ReadonlyMap<string, number>) => void) {
  await vi.waitFor(async () => check(await readMetrics(service)), { interval: 5 });
}

function inDays(days: number): Date {
  return new Date(Date.now() + days * 86_400_000);
}

describe('GET /metrics', () => {
  test('answers in the text format of Prometheus', async () => {
    const service = await startService();

    const { status, headers, text } = await service.send('GET', '/metrics');

    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(text).toContain(
      '# HELP plant_store_write_queue_limit Writes that may wait for the database; more are refused.\n' +
        '# TYPE plant_store_write_queue_limit gauge\nplant_store_write_queue_limit 4096\n',
    );
  });

  test('counts requests by route and status, and durations of those with a valid token', async () => {
    const service = await startService();
    await service.create(plant(1));
    await service.create(plant(1));
    await service.send('GET', '/plants/1');
    await service.send('HEAD', '/plants/1');
    await service.send('GET', '/plants/2');
    await service.request('/plants/1');
    await service.request('/health/live');

    await awaitMetrics(service, (metrics) => {
      expect(seriesOf(metrics, 'http_requests_total')).toEqual({
        'method="POST",route="/plants",status="200"': 1,
        'method="POST",route="/plants",status="400"': 1,
        'method="GET",route="/plants/:id",status="200"': 2,
        'method="GET",route="/plants/:id",status="404"': 1,
        'method="GET",route="/plants/:id",status="401"': 1,
        'method="GET",route="/health/live",status="200"': 1,
        'method="GET",route="/metrics",status="200"': expect.any(Number) as number,
      });
      const durations = seriesOf(metrics, 'http_request_duration_seconds_count');
      expect(durations).toMatchObject({
        'method="POST",route="/plants"': 2,
        'method="GET",route="/plants/:id"': 3,
      });
      expect(Object.keys(durations).join()).not.toContain('health');
      const buckets = Object.entries(seriesOf(metrics, 'http_request_duration_seconds_bucket'));
      const ofCreates = buckets.filter(([labels]) => labels.includes('POST')).map(([, count]) => count);
      expect(ofCreates).toEqual(ofCreates.toSorted((a, b) => a - b));
      expect(ofCreates.at(-1)).toBe(2);
    });
  });

  test('has one label for all paths and methods that there are not', async () => {
    const service = await startService();
    for (const path of ['/secret', '/plants/secret/path', '/plants/', '/%00'])
      await service.send('GET', path);
    for (const method of ['PROPFIND', 'DELETE']) await service.send(method, '/plants');

    await awaitMetrics(service, (metrics) => {
      expect(seriesOf(metrics, 'http_requests_total')).toMatchObject({
        'method="other",route="none",status="404"': 4,
        'method="other",route="none",status="405"': 2,
      });
      expect([...metrics.keys()].join()).not.toContain('secret');
    });
  });

  test('counts Errors by value, also where the status does not tell it and where nothing was a request', async () => {
    const service = await startService();
    await service.create(plant(1));
    await service.create(plant(1));
    await service.create({});
    await service.create({ id: 1 });
    await (
      await sendRaw(service.port, 'nonsense\r\n\r\n')
    ).ended;

    const errors = seriesOf(await readMetrics(service), 'plant_store_errors_total');

    expect(errors).toEqual({
      'error="40003"': 1,
      'error="40001"': 2,
      'error="40900"': 1,
      'error="50000"': 0,
      'error="50300"': 0,
    });
  });

  test('measures batches, the queue of writes and what it refuses', async () => {
    const service = await startService({}, undefined, { writeQueueLimit: 8 });
    const batch = Promise.withResolvers<void>();
    const write = { bytes: 0, isSettled: true, reject: () => undefined };
    service.app.get(GroupCommit, { strict: false }).add(new WriteQueue(() => batch.promise), write);

    const creates = createMany(service, 20);

    await awaitMetrics(service, (metrics) => {
      expect(metrics.get('plant_store_write_queue_refusals_total')).toBe(12);
      expect(metrics.get('plant_store_write_queue_length')).toBe(8);
      expect(metrics.get('plant_store_write_queue_limit')).toBe(8);
      expect(metrics.get('plant_store_batch_writes_total')).toBe(0);
    });
    batch.resolve();
    await creates;
    const metrics = await readMetrics(service);
    expect(metrics.get('plant_store_write_queue_length')).toBe(0);
    expect(metrics.get('plant_store_batch_writes_total')).toBe(9);
    expect(metrics.get('plant_store_batch_duration_seconds_count')).toBe(2);
    expect(metrics.get('plant_store_batch_duration_seconds_sum')).toBeGreaterThan(0);
  });

  test('counts reads, and the statements that they share', async () => {
    const service = await startService();
    await createMany(service, 5);
    await Promise.all(Array.from({ length: 50 }, () => service.send('GET', '/plants/1')));

    const metrics = await readMetrics(service);

    expect(metrics.get('plant_store_reads_total')).toBe(50);
    expect(metrics.get('plant_store_read_statements_total')).toBeGreaterThanOrEqual(1);
    expect(metrics.get('plant_store_read_statements_total')).toBeLessThan(50);
  });

  test('counts the tokens in memory, look-ups, and refusals by cause', async () => {
    const service = await startService();
    const expired = await issue(service, ['plants:read'], new Date(Date.now() - 1));
    const revoked = await issue(service, ['plants:read']);
    await service.app.get(AccessTokensService).revoke(revoked.id);
    const reader = await issue(service, ['plants:read']);
    const others = ['', 'Bearer nobody', 'Bearer "no"', 'Bearer "token"'].map((Authorization) => ({
      headers: { Authorization },
    }));
    for (const { headers } of [expired, expired, revoked, ...others, reader])
      await service.create('', headers);

    await service.send('GET', '/plants/1', { headers: reader.headers });

    const metrics = await readMetrics(service);
    expect(seriesOf(metrics, 'plant_store_token_refusals_total')).toEqual({
      'cause="missing"': 1,
      'cause="malformed"': 2,
      'cause="unknown"': 1,
      'cause="expired"': 2,
      'cause="revoked"': 1,
      'cause="invalid_jwt"': 0,
      'cause="insufficient_scope"': 1,
    });
    expect(metrics.get('plant_store_token_cache_size')).toBe(2);
    expect(metrics.get('plant_store_token_cache_hits_total')).toBe(1);
    expect(metrics.get('plant_store_token_lookups_total')).toBe(6);
  });

  test('tells when the next of the valid tokens expires, if one does', async () => {
    const service = await startService();
    const name = 'plant_store_token_next_expiry_timestamp_seconds';
    const next = inDays(1);

    expect((await readMetrics(service)).has(name)).toBe(false);
    const { id } = await issue(service, ['plants:read'], inDays(0.5));
    await service.app.get(AccessTokensService).revoke(id);
    for (const end of [inDays(-1), inDays(2), next]) await issue(service, ['plants:read'], end);

    expect((await readMetrics(service)).get(name)).toBe(next.getTime() / 1000);
  });

  test('measures the database and the process', async () => {
    const service = await startService();
    await service.create(plant(1));

    const metrics = await readMetrics(service);

    expect(metrics.get('plant_store_database_up')).toBe(1);
    const positive = [
      'plant_store_database_size_bytes{file="database"}',
      'plant_store_database_size_bytes{file="wal"}',
      'plant_store_database_disk_free_bytes',
      'process_cpu_seconds_total',
      'process_start_time_seconds',
      'process_resident_memory_bytes',
      'process_open_fds',
      'process_max_fds',
      'nodejs_heap_size_used_bytes',
      'nodejs_heap_size_total_bytes',
      'nodejs_external_memory_bytes',
    ];
    for (const name of positive) expect(metrics.get(name), name).toBeGreaterThan(0);
    const [build = ''] = Object.keys(seriesOf(metrics, 'plant_store_build_info'));
    expect(build).toMatch(/^version="\d.+",node="24\..+",database="sqlite"$/);
    const loops = async (one: Service) =>
      (await readMetrics(one)).get('nodejs_eventloop_utilization_histogram_count') ?? 0;
    const measured = await vi.waitUntil(async () => {
      const count = await loops(service);
      return count > 10 && count;
    });
    // The process is measured once, whatever runs in it.
    expect(await loops(await startService())).toBeGreaterThanOrEqual(measured);
  });

  test('has only metrics that the runbook lists', async () => {
    const service = await startService();
    const runbook = readFileSync(new URL('../../../docs/operations.md', import.meta.url), 'utf8');

    const { text } = await service.send('GET', '/metrics');

    const names = [...text.matchAll(/^# TYPE (\w+)/gm)].map(([, name = '']) => name);
    const own = names.filter((name) => !/^(?:nodejs|process)_/.test(name));
    expect(own.length).toBeGreaterThan(15);
    expect(own.filter((name) => !runbook.includes(`\`${name}\``))).toEqual([]);
  });

  test('refuses a token that was revoked while the database can tell', async () => {
    const service = await startService();
    const { id, headers } = await issue(service, ['metrics:read']);
    const read = async () => (await service.send('GET', '/metrics', { headers })).status;
    expect(await read()).toBe(200);

    await service.send('DELETE', `/tokens/${id}`);

    expect(await read()).toBe(401);
  });
});

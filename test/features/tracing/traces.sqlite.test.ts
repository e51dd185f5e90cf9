import { describe, expect, test, vi } from 'vitest';
import { serviceVersion } from '../../../src/config/service-version.js';
import { listen, startCollector } from './collector.js';
import { sendRaw } from '../../support/network/raw-connection.js';
import { createRequest, failedStart, startService, TOKEN } from '../../support/service.js';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';
const RECORDED = `00-${TRACE}-${SPAN}-01`;
const NOT_RECORDED = `00-${TRACE}-${SPAN}-00`;

/** Starts a service that traces, and what takes its traces. */
async function traced(environment: Record<string, string> = {}) {
  const collector = await startCollector();
  const service = await startService({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, ...environment });
  return { collector, service };
}

describe('a service', () => {
  test.for([
    [
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' },
      'OTEL_EXPORTER_OTLP_ENDPOINT must be an http or https',
    ],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://user:secret@collector' }, 'without a query or credentials'],
    [{ OTEL_TRACES_SAMPLER_ARG: '1.1' }, 'OTEL_TRACES_SAMPLER_ARG must be a decimal number from 0 to 1'],
    [{ OTEL_TRACES_SAMPLER_ARG: '1e-2' }, 'OTEL_TRACES_SAMPLER_ARG must be a decimal number from 0 to 1'],
  ] as const)('does not start with %j', async ([environment, problem]) => {
    const message = await failedStart(environment);

    expect(message).toContain(problem);
    expect(message).not.toContain('secret');
  });
});

describe('the span of a request', () => {
  test('tells its instance and version', async () => {
    const collector = await startCollector();
    for (const _ of [1, 2]) {
      const service = await startService({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
      await service.send('GET', '/plants');
      await service.stop();
    }

    const resources = collector.spans.map(({ resource }) => resource);
    expect(resources).toMatchObject(
      [1, 2].map(() => ({ 'service.name': 'plant-store', 'service.version': serviceVersion() })),
    );
    expect(new Set(resources.map((resource) => resource['service.instance.id'])).size).toBe(2);
  });

  test('is a part of the trace of its client, and has nothing of the query, the body and other headers', async () => {
    const { collector, service } = await traced();

    const headers = {
      traceparent: RECORDED,
      tracestate: 'a=secret',
      'X-Request-Id': 'order-1234',
      baggage: 'b=secret',
    };
    await service.request(
      '/plants?secret=secret',
      createRequest({ id: 7, name: 'secret', tag: 'secret' }, headers),
    );
    await service.stop();

    expect(collector.spans).toHaveLength(1);
    expect(collector.spans[0]).toMatchObject({
      name: 'POST /plants',
      traceId: TRACE,
      parentSpanId: SPAN,
      isFailed: false,
    });
    expect(collector.spans[0]?.attributes).toEqual({
      'http.request.method': 'POST',
      'http.route': '/plants',
      'http.response.header.x-request-id': { values: [{ stringValue: 'order-1234' }] },
      'http.response.status_code': 200,
      'url.path': '/plants',
      'url.scheme': 'http',
    });
    expect(collector.received()).not.toContain('secret');
    expect(collector.received()).not.toContain(TOKEN);
  });

  test('has the name of its route, what the log shows of its path, and the trace that the log names', async () => {
    const { collector, service } = await traced();
    const long = '/plants'.repeat(200);
    const requests = [
      ['GET', '/plants/7?token=secret', 404, 'GET /plants/:id', '/plants/7'],
      ['HEAD', '/plants', 200, 'HEAD /plants', '/plants'],
      ['GET', '/plants/secret', 400, 'GET /plants/:id', '/plants/…'],
      ['GET', '/nowhere/secret', 404, 'GET', '/…/…'],
      ['GET', long, 404, 'GET', long.slice(0, 1_024)],
      ['DELETE', '/health/live', 405, 'DELETE', '/health/live'],
      ['OPTIONS', '/plants', 204, 'OPTIONS', '/plants'],
    ] as const;

    for (const [method, target] of requests)
      await service.send(method, target, { headers: { 'X-Request-Id': 'order-1234' } });
    await service.stop();

    const lines = service.log.filter((line) => line.includes('request answered'));
    expect(collector.spans).toMatchObject(
      requests.map(([, , , name], index) => {
        const { traceId } = JSON.parse(lines[index] ?? '') as { traceId: string };
        return { name, traceId, isFailed: false };
      }),
    );
    expect(collector.spans.map(({ attributes }) => attributes)).toEqual(
      requests.map(([method, , status, name, path]) => {
        return {
          'http.request.method': method,
          'http.route': name.split(' ')[1],
          'http.response.header.x-request-id': { values: [{ stringValue: 'order-1234' }] },
          'http.response.status_code': status,
          'url.path': path,
          'url.scheme': 'http',
        };
      }),
    );
  });

  test('has the error value of what the service could not do', async () => {
    const { collector, service } = await traced();
    for (const table of ['plants', 'migrations'])
      await service.database.execute(`ALTER TABLE ${table} RENAME TO ${table}_elsewhere`);

    await service.create({ id: 1, name: 'Aloe' });
    await service.send('GET', '/health/ready');
    await service.send('PROPFIND', '/plants');
    await service.stop();

    expect(collector.spans).toMatchObject([
      {
        name: 'POST /plants',
        isFailed: true,
        attributes: { 'http.response.status_code': 400, 'error.type': '50000' },
      },
      {
        name: 'GET /health/ready',
        isFailed: true,
        attributes: { 'http.response.status_code': 503, 'error.type': '50300' },
      },
      {
        name: 'HTTP',
        isFailed: true,
        attributes: {
          'http.request.method': '_OTHER',
          'http.response.status_code': 501,
          'error.type': '50100',
        },
      },
    ]);
  });

  test('tells that its client went before the response', async () => {
    const { collector, service } = await traced();
    const head = ['POST /plants HTTP/1.1', 'Host: plants', `Authorization: Bearer ${TOKEN}`];
    const body = ['Content-Type: application/json', 'Content-Length: 9', 'Expect: 100-continue'];

    const connection = await sendRaw(service.port, `${[...head, ...body].join('\r\n')}\r\n\r\n`);
    await vi.waitUntil(() => connection.received().includes('100 Continue'));
    connection.socket.resetAndDestroy();
    await vi.waitUntil(() => service.log.some((line) => line.includes('request aborted')));
    await service.stop();

    expect(collector.spans).toMatchObject([
      { name: 'POST /plants', isFailed: true, attributes: { 'error.type': 'aborted' } },
    ]);
    expect(collector.spans[0]?.attributes).not.toHaveProperty('http.response.status_code');
  });
});

describe('a span is recorded', () => {
  test.for(['0', '1'])('if the client says so, with the ratio %s', async (ratio) => {
    const { collector, service } = await traced({ OTEL_TRACES_SAMPLER_ARG: ratio });

    for (const traceparent of [RECORDED, NOT_RECORDED, `cc-${TRACE}-${SPAN}-ff-more`])
      await service.send('GET', '/plants', { headers: { traceparent } });
    await service.stop();

    expect(collector.spans).toMatchObject([
      { traceId: TRACE, parentSpanId: SPAN },
      { traceId: TRACE, parentSpanId: SPAN },
    ]);
  });

  test('by the ratio if the client says nothing valid', async () => {
    const { collector, service } = await traced({ OTEL_TRACES_SAMPLER_ARG: '0' });

    for (const traceparent of ['', `ff-${TRACE}-${SPAN}-01`, `00-${TRACE}-${SPAN}-01-more`])
      await service.send('GET', '/plants', { headers: { traceparent } });
    await service.stop();

    expect(collector.received()).toBe('');
  });
});

describe('a collector', () => {
  test.for([
    ['refuses connections', 'http://127.0.0.1:1', 'connect ECONNREFUSED 127.0.0.1:1'],
    ['takes no traces', undefined, 'Not Found'],
  ] as const)('that %s costs the spans and a warning', async ([, address, why]) => {
    const collector = await startCollector();
    const service = await startService({
      OTEL_EXPORTER_OTLP_ENDPOINT: address ?? `${collector.url}/elsewhere`,
    });

    const answers = [
      await service.create({ id: 1, name: 'Aloe' }),
      await service.create({ id: 1, name: 'Aloe' }),
      await service.send('GET', '/plants/1'),
    ];
    await service.stop();

    expect(answers.map(({ status }) => status)).toEqual([200, 400, 200]);
    const warnings = service.log.filter((line) => line.includes('"level":"warn"'));
    expect(warnings).toEqual([expect.stringContaining('"msg":"Spans are lost"')]);
    expect(warnings[0]).toContain(why);
  });

  test('that does not answer holds up a stop for 2 s', async () => {
    const asked = Promise.withResolvers<void>();
    const url = await listen(() => asked.resolve());
    const service = await startService({ OTEL_EXPORTER_OTLP_ENDPOINT: url });
    expect(await service.create({ id: 1, name: 'Aloe' })).toMatchObject({ status: 200 });

    const begunAt = performance.now();
    await service.stop();
    await asked.promise;

    expect(performance.now() - begunAt).toBeLessThan(4_000);
    expect(service.log.join('')).toContain('Spans are lost');
  });
});

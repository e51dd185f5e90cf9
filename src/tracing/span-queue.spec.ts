import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Logger } from '@nestjs/common';
import { TracerProvider } from '@opentelemetry/sdk-trace';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { SpanQueue } from './span-queue.js';

const MINUTE_MS = 60_000;

/** A queue before a collector, a way to fill it, and what it warns of. */
async function queueBefore(collector: RequestListener) {
  const server = createServer(collector).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const logger = new Logger('test');
  const warnings = vi.spyOn(logger, 'warn').mockReturnValue(undefined).mock.calls;
  const queue = new SpanQueue(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, logger);
  const tracer = new TracerProvider({ spanProcessors: [queue] }).getTracer('test');
  const add = (spans: number) => {
    for (let count = 0; count < spans; count += 1) tracer.startSpan('test').end();
  };
  return { queue, add, warnings };
}

describe('spans that are lost', () => {
  test('are warned of once a minute, with how many there were since', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const { queue, add, warnings } = await queueBefore((_request, response) => response.writeHead(400).end());

    for (const waitMs of [0, 1, MINUTE_MS - 2, 1]) {
      vi.advanceTimersByTime(waitMs);
      add(10);
      await expect(queue.forceFlush()).rejects.toThrow('Bad Request');
    }

    expect(warnings).toEqual([
      ['Lost spans: 10. Why the latest: Bad Request.'],
      ['Lost spans: 30. Why the latest: Bad Request.'],
    ]);
  });

  test('are those that come when 2,048 wait for a collector that takes its time', async () => {
    let exports = 0;
    const { queue, add, warnings } = await queueBefore((request, response) => {
      exports += 1;
      request.resume().on('end', () => response.end());
    });

    // The first 512 are under way.
    add(512 + 2_048);
    expect(warnings).toEqual([]);
    add(1);
    expect(warnings).toEqual([['Lost spans: 1. Why the latest: too many are waiting.']]);
    await queue.shutdown();

    expect(exports).toBe(5);
  });
});

import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** A span as a collector gets it. */
export interface CollectedSpan {
  /** The attributes of the service that sent it. */
  readonly resource: Readonly<Record<string, unknown>>;
  readonly name: string;
  readonly traceId: string;
  /** Absent at the root of a trace. */
  readonly parentSpanId?: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  /** Whether it failed. */
  readonly isFailed: boolean;
}

/** What takes the spans of the services of a test. */
export interface Collector {
  /** For `OTEL_EXPORTER_OTLP_ENDPOINT`. */
  readonly url: string;
  readonly spans: readonly CollectedSpan[];
  /** All that has come, as it came. */
  received(): string;
}

/** Starts a collector, which is gone when the test is over. */
export async function startCollector(): Promise<Collector> {
  const spans: CollectedSpan[] = [];
  const bodies: string[] = [];
  const take = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await text(request);
    bodies.push(`${JSON.stringify(request.headers)}${body}`);
    const isTaken = request.method === 'POST' && request.url === '/v1/traces';
    if (isTaken) spans.push(...readSpans(JSON.parse(body) as Export));
    response.writeHead(isTaken ? 200 : 404, { 'Content-Type': 'application/json' }).end('{}');
  };
  const url = await listen((request, response) => void take(request, response));
  return {
    url,
    spans,
    received: () => bodies.join('\n'),
  };
}

/** Starts an HTTP server, which is gone when the test is over; returns its address. */
export async function listen(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

interface Attribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

/** The body of an export, as JSON (OpenTelemetry protocol, section "JSON Protobuf encoding"). */
interface Export {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly ExportedSpan[] }[];
  }[];
}

interface ExportedSpan extends Omit<CollectedSpan, 'resource' | 'attributes' | 'isFailed'> {
  readonly attributes: readonly Attribute[];
  readonly status: { readonly code: number };
}

function readSpans({ resourceSpans }: Export): CollectedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        ...span,
        resource: read(resource.attributes),
        attributes: read(span.attributes),
        isFailed: span.status.code === 2,
      })),
    ),
  );
}

function read(attributes: readonly Attribute[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}

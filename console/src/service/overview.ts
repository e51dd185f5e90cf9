import type { Count } from '../../../examples/typescript-client/generated/types.gen.ts';
import { probe, readJson, send } from './connection.ts';

/** How the service is: `message` is why it is not as it should be. */
export interface Readiness {
  readonly status: 'ok' | 'degraded' | 'unavailable';
  readonly message: string | undefined;
}

/** What the service measures of itself, by name; values that differ by labels are added up. */
export type Metrics = ReadonlyMap<string, number>;

/** What an overview shows. */
export interface Overview {
  readonly readiness: Readiness;
  /** undefined when the service does not measure itself, or not for this token. */
  readonly metrics: Metrics | undefined;
  readonly version: string | undefined;
  /** When it was read, in milliseconds. */
  readonly at: number;
}

/** Reads how the service is and what it measures of itself. */
export async function readOverview(signal: AbortSignal): Promise<Overview> {
  const [readiness, text] = await Promise.all([readReadiness(signal), readMetrics(signal)]);
  return {
    readiness,
    metrics: text === undefined ? undefined : parseMetrics(text),
    version: /^plant_store_build_info\{version="([^"]*)"/m.exec(text ?? '')?.[1],
    at: performance.now(),
  };
}

/** Counts all the plants. */
export async function countPlants(signal: AbortSignal): Promise<number> {
  const { count } = await readJson<Count>(await send('GET', 'plants/count', { signal }));
  return count;
}

async function readReadiness(signal: AbortSignal): Promise<Readiness> {
  const response = await probe('health/ready', signal);
  const body = (await response?.json().catch(() => undefined)) as
    { status?: 'ok' | 'degraded'; reason?: string; message?: string } | undefined;
  return {
    status: body?.status ?? 'unavailable',
    message: body?.reason?.replaceAll('_', ' ') ?? body?.message,
  };
}

/** The metrics in the text format of Prometheus. They are there while the database is away, so nothing has to wait for it. */
async function readMetrics(signal: AbortSignal): Promise<string | undefined> {
  const response = await probe('metrics', signal);
  return response?.ok ? response.text() : undefined;
}

function parseMetrics(text: string): Metrics {
  const metrics = new Map<string, number>();
  for (const [, name = '', value] of text.matchAll(/^([a-z_]+)(?:\{.*\})? (\S+)$/gm))
    metrics.set(name, (metrics.get(name) ?? 0) + Number(value));
  return metrics;
}

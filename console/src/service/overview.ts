import { Signal } from '@preact/signals';
import { probe } from './connection.ts';
import { may, readCurrentToken } from './tokens.ts';

/** Milliseconds without a response after which the service is unreachable. */
const PATIENCE_MS = 10_000;

export interface Readiness {
  readonly status: 'ok' | 'degraded' | 'unavailable' | 'unreachable';
  readonly check?: string;
  /** The message of the service while it is unavailable. */
  readonly message?: string;
}

/** The state of the service; during an outage, the last known one. */
export interface Overview {
  readonly readiness: Readiness;
  readonly answeredAt: Date | undefined;
  /** undefined without the scope to read them. */
  readonly measured: Measured | undefined;
}

interface Measured extends Readonly<Record<'version' | 'database', string | undefined>> {
  /** By name; values that differ by labels are added up. */
  readonly metrics: ReadonlyMap<string, number>;
}

/** Survives a change of view. */
export const overview = new Signal<Overview | undefined>(undefined);

/** Reads the state of the service, and its figures with the scope for them. */
export async function readOverview(signal: AbortSignal): Promise<void> {
  const patience = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]);
  const [readiness, text] = await Promise.all([
    readReadiness(patience),
    may('metrics:read') ? readMetrics(patience) : undefined,
  ]);
  if (signal.aborted) return;
  overview.value = {
    readiness,
    answeredAt: readiness.status === 'unreachable' ? overview.value?.answeredAt : new Date(),
    measured: text === undefined ? overview.value?.measured : parseMetrics(text),
  };
}

async function readReadiness(signal: AbortSignal): Promise<Readiness> {
  const response = await probe('health/ready', signal);
  if (response === undefined) return { status: 'unreachable' };
  const body = (await response.json().catch(() => ({}))) as Readiness;
  return response.ok && body.status ? body : { ...body, status: 'unavailable' };
}

/** Reads the metrics in the text format of Prometheus. They need no database. */
async function readMetrics(signal: AbortSignal): Promise<string | undefined> {
  const response = await probe('metrics', signal);
  // Opens the sign-in.
  if (response?.status === 401) await readCurrentToken(signal).catch(() => undefined);
  return response?.ok ? response.text().catch(() => undefined) : undefined;
}

function parseMetrics(text: string): Measured {
  const label = (name: string) =>
    new RegExp(`^plant_store_build_info\\{.*\\b${name}="([^"]*)"`, 'm').exec(text)?.[1];
  const metrics = new Map<string, number>();
  for (const [, name = '', value] of text.matchAll(/^([a-z_]+)(?:\{.*\})? (\S+)$/gm))
    metrics.set(name, (metrics.get(name) ?? 0) + Number(value));
  return { metrics, version: label('version'), database: label('database') };
}

import { Signal } from '@preact/signals';
import { probe } from './connection.ts';
import { may, readCurrentToken } from './tokens.ts';

const INTERVAL_MS = 3_000;

/** Milliseconds after which a service that does not answer counts as unreachable. */
const PATIENCE_MS = 10_000;

const HISTORY_MS = 300_000;

/** Requests whose duration says nothing about the service: the console's own, and streams. */
const NOT_TIMED = /route="\/(metrics|plants\/(import|export|changes))"/;

export interface Readiness {
  readonly status: 'ok' | 'degraded' | 'unavailable' | 'unreachable';
  readonly reason?: string;
  /** Why it is unavailable, in the words of the service. */
  readonly message?: string;
}

/** What happened between two looks; undefined where that is not known. */
export interface Sample {
  /** In milliseconds, as `performance.now()` has them. */
  readonly at: number;
  readonly writesPerSecond?: number;
  readonly latency?: number;
}

/** What the console knows of the service. In an outage, what it last knew stays. */
export interface Overview {
  readonly readiness: Readiness;
  readonly answeredAt: Date | undefined;
  readonly samples: readonly Sample[];
  /** undefined without the scope to read them. */
  readonly measured: Measured | undefined;
}

/** What the service measures of itself, by name; values that differ by labels are added up. */
interface Measured extends Readonly<Record<'version' | 'database', string | undefined>> {
  readonly at: number;
  readonly metrics: ReadonlyMap<string, number>;
}

/** Kept while the user is in another view. */
export const overview = new Signal<Overview | undefined>(undefined);

/** Looks at the service again and again, until the function that it returns is called. */
export function watchOverview(): () => void {
  const controller = new AbortController();
  void watch(controller.signal);
  return () => controller.abort();
}

async function watch(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const patience = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]);
    const [readiness, text] = await Promise.all([
      readReadiness(patience),
      may('metrics:read') ? readMetrics(patience) : undefined,
    ]);
    if (signal.aborted) return;
    overview.value = after(overview.value, readiness, text);
    await new Promise((resolve) => setTimeout(resolve, INTERVAL_MS));
  }
}

/** What is known after a look; `text` are the metrics, if it has seen them. */
function after(before: Overview | undefined, readiness: Readiness, text: string | undefined): Overview {
  const at = performance.now();
  const measured = text === undefined ? undefined : { at, ...parseMetrics(text) };
  const recent = before?.samples.filter((sample) => at - sample.at < HISTORY_MS) ?? [];
  return {
    readiness,
    answeredAt: readiness.status === 'unreachable' ? before?.answeredAt : new Date(),
    samples: [...recent, { at, ...(measured && before?.measured && between(before.measured, measured)) }],
    measured: measured ?? before?.measured,
  };
}

/** Nothing when the service has started in between, or the console has not looked for long. */
function between(before: Measured, now: Measured): Omit<Sample, 'at'> {
  const added = (name: string) => (now.metrics.get(name) ?? 0) - (before.metrics.get(name) ?? 0);
  const writes = added('plant_store_batch_writes_total');
  const requests = added('http_request_duration_seconds_count');
  const time = now.at - before.at;
  if (writes < 0 || requests < 0 || time > INTERVAL_MS + PATIENCE_MS) return {};
  return {
    writesPerSecond: (writes / time) * 1000,
    ...(requests > 0 && { latency: (added('http_request_duration_seconds_sum') / requests) * 1000 }),
  };
}

async function readReadiness(signal: AbortSignal): Promise<Readiness> {
  const response = await probe('health/ready', signal);
  if (response === undefined) return { status: 'unreachable' };
  const body = (await response.json().catch(() => ({}))) as Readiness;
  return response.ok && body.status ? body : { ...body, status: 'unavailable' };
}

/** The metrics in the text format of Prometheus. They are there while the database is away, so nothing has to wait for it. */
async function readMetrics(signal: AbortSignal): Promise<string | undefined> {
  const response = await probe('metrics', signal);
  // The request that waits for the next token.
  if (response?.status === 401) await readCurrentToken(signal).catch(() => undefined);
  return response?.ok ? response.text().catch(() => undefined) : undefined;
}

function parseMetrics(text: string): Omit<Measured, 'at'> {
  const metrics = new Map<string, number>();
  const label = (name: string) =>
    new RegExp(`^plant_store_build_info\\{.*\\b${name}="([^"]*)"`, 'm').exec(text)?.[1];
  for (const [, name = '', labels = '', value] of text.matchAll(/^([a-z_]+)(\{.*\})? (\S+)$/gm))
    if (!NOT_TIMED.test(labels)) metrics.set(name, (metrics.get(name) ?? 0) + Number(value));
  return { metrics, version: label('version'), database: label('database') };
}

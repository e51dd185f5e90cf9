import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { may } from '../service/tokens.ts';
import { type Overview, overview, type Readiness, watchOverview } from '../service/overview.ts';
import { countPlants } from '../service/plants.ts';
import { session } from '../service/session.ts';
import { texts } from '../texts.ts';
import { Curve } from '../ui/curve.tsx';
import { useLoaded } from '../ui/use-loaded.ts';

/** Milliseconds between two counts: a large store counts for a while. */
const COUNT_MS = 30_000;

/** Milliseconds that the curves show at least: the first look is no curve. */
const LEAST_MS = 30_000;

/** How the service is now. All figures are of the instance that answers. */
export function OverviewView() {
  const now = overview.value;
  useEffect(watchOverview, []);
  const measured = may('metrics:read') ? now?.measured : undefined;
  return (
    <>
      <h1 tabIndex={-1}>{texts.views.overview}</h1>
      {now && (
        <>
          <State of={now} />
          <div class={now.readiness.status === 'unreachable' ? 'stale' : undefined}>
            {measured && <Curves samples={now.samples} />}
            <dl class="figures">
              {may('plants:read') && <PlantCount />}
              {measured && <Figures of={measured} />}
            </dl>
          </div>
          {!may('metrics:read') && <p class="soft">{texts.overview.noMetrics}</p>}
        </>
      )}
    </>
  );
}

/** Whether all is well, and otherwise what to do. */
function State({ of: { readiness, answeredAt } }: { readonly of: Overview }) {
  const { title, advice } = stateOf(readiness);
  return (
    <div class={`banner ${readiness.status}`} role="status">
      <strong>{title}</strong>
      <span>{advice}</span>
      {readiness.status === 'unreachable' && answeredAt && (
        <small>{texts.overview.lastAnswer(answeredAt.toLocaleTimeString())}</small>
      )}
    </div>
  );
}

function stateOf({ status, reason = '', message }: Readiness): { title: string; advice: string } {
  const { states, reasons, degraded } = texts.overview;
  if (status === 'degraded') return reasons[reason] ?? degraded(reason);
  return { title: message ?? states[status].title, advice: states[status].advice };
}

function Curves({ samples }: Pick<Overview, 'samples'>) {
  const [{ at: first } = { at: 0 }] = samples;
  const to = samples.at(-1)?.at ?? 0;
  const span = { from: Math.min(first, to - LEAST_MS), to };
  const { writes, latency, milliseconds } = texts.overview;
  return (
    <div class="curves">
      <Curve
        {...span}
        name={writes}
        points={samples.map(({ at, writesPerSecond }) => ({ at, value: writesPerSecond }))}
        format={(value) => Math.round(value).toLocaleString()}
      />
      <Curve
        {...span}
        name={latency}
        points={samples.map((sample) => ({ at: sample.at, value: sample.latency }))}
        format={milliseconds}
      />
    </div>
  );
}

function PlantCount() {
  const { value, failure, reload } = useLoaded(async (signal) => countPlants({}, signal), [session.value]);
  useEffect(() => {
    const timer = setInterval(reload, COUNT_MS);
    return () => clearInterval(timer);
  }, [reload]);
  return (
    <Figure name={texts.views.plants} hint={failure?.message}>
      {value?.toLocaleString() ?? '–'}
    </Figure>
  );
}

function Figures({ of: { metrics, version } }: { readonly of: NonNullable<Overview['measured']> }) {
  const { queue, ofLimit, disk, free, backup, noBackups, noBackup, version: versionName } = texts.overview;
  const metric = (name: string) => metrics.get(`plant_store_${name}`);
  const size = metric('database_size_bytes');
  const lastBackup = metric('backup_last_success_timestamp_seconds');
  return (
    <>
      <Figure name={queue}>
        {ofLimit(metric('write_queue_length') ?? 0, metric('write_queue_limit') ?? 0)}
      </Figure>
      {size !== undefined && (
        <Figure name={disk} hint={free(texts.transfer.size(metric('database_disk_free_bytes') ?? 0))}>
          {texts.transfer.size(size)}
        </Figure>
      )}
      <Figure name={backup} hint={lastBackup === undefined ? noBackups : undefined}>
        {lastBackup ? new Date(lastBackup * 1000).toLocaleString() : noBackup}
      </Figure>
      <Figure name={versionName}>{version}</Figure>
    </>
  );
}

interface FigureProps {
  readonly name: string;
  readonly hint?: string | undefined;
  readonly children: ComponentChildren;
}

function Figure({ name, hint, children }: FigureProps) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
      {hint && <dd class="soft">{hint}</dd>}
    </div>
  );
}

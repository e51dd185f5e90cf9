import { useEffect, useRef, useState } from 'preact/hooks';
import { countPlants, type Overview, readOverview } from '../service/overview.ts';
import { texts } from '../texts.ts';
import { LoadFailure } from '../ui/load-failure.tsx';
import { useLoaded } from '../ui/use-loaded.ts';

/** Milliseconds between two looks at the service. */
const INTERVAL_MS = 3_000;

/** How the service is now. All figures are of the instance that answers. */
export function OverviewView() {
  const overview = useLoaded(readOverview, []);
  const before = useRef<Overview>(undefined);
  const [counting, setCounting] = useState(0);
  const count = useLoaded(async (signal) => (counting === 0 ? undefined : countPlants(signal)), [counting]);
  const { value: now, reload } = overview;
  const writes = now && before.current && rate(before.current, now);
  useEffect(() => {
    if (now === undefined) return undefined;
    const timer = setTimeout(() => {
      before.current = now;
      reload();
    }, INTERVAL_MS);
    return () => clearTimeout(timer);
  }, [now, reload]);
  const metric = (name: string) => now?.metrics?.get(name);
  const { overview: say } = texts;
  const backup = metric('plant_store_backup_last_success_timestamp_seconds');
  return (
    <>
      <h1 tabIndex={-1}>{texts.views.overview}</h1>
      <LoadFailure of={count} />
      {now && (
        <dl class="cards">
          <Figure
            name={say.readiness}
            value={say.readinessOf[now.readiness.status]}
            hint={now.readiness.message}
            isAlarming={now.readiness.status !== 'ok'}
          />
          <div>
            <dt>{texts.views.plants}</dt>
            <dd class="figure">
              <span role="status">
                {count.value?.toLocaleString() ?? (count.isLoading && counting > 0 ? texts.loading : '–')}
              </span>
            </dd>
            <dd>
              <button type="button" onClick={() => setCounting(counting + 1)}>
                {texts.plants.count}
              </button>
            </dd>
          </div>
          {now.metrics === undefined ? (
            <div>
              <dt>{texts.views.overview}</dt>
              <dd>{say.noMetrics}</dd>
            </div>
          ) : (
            <>
              <Figure
                name={say.writes}
                value={writes === undefined ? '…' : Math.round(writes).toLocaleString()}
              />
              <Figure
                name={say.queue}
                value={(metric('plant_store_write_queue_length') ?? 0).toLocaleString()}
                hint={say.ofLimit(metric('plant_store_write_queue_limit') ?? 0)}
              />
              <Figure
                name={say.backup}
                value={backup ? new Date(backup * 1000).toLocaleString() : say.noBackup}
              />
              <Figure name={say.version} value={now.version ?? '–'} />
            </>
          )}
        </dl>
      )}
    </>
  );
}

interface FigureProps {
  readonly name: string;
  readonly value: string;
  readonly hint?: string | undefined;
  readonly isAlarming?: boolean;
}

function Figure({ name, value, hint, isAlarming = false }: FigureProps) {
  return (
    <div>
      <dt>{name}</dt>
      <dd class={isAlarming ? 'figure problem' : 'figure'}>{value}</dd>
      {hint && <dd class="soft">{hint}</dd>}
    </div>
  );
}

/** Writes a second between two looks; undefined when the service has started in between. */
function rate(before: Overview, now: Overview): number | undefined {
  const count = writesOf(now) - writesOf(before);
  return count < 0 ? undefined : count / ((now.at - before.at) / 1000);
}

function writesOf({ metrics }: Overview): number {
  return metrics?.get('plant_store_batch_writes_total') ?? 0;
}

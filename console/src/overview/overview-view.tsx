import type { IconNode } from 'lucide';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { ActivityList } from '../activity/activity-list.tsx';
import { ActivityLog } from '../activity/activity-log.ts';
import { feed, LATEST as LATEST_CHANGES } from '../service/changes.ts';
import { type Overview, overview, type Readiness, watchOverview } from '../service/overview.ts';
import { countPlants } from '../service/plants.ts';
import { session } from '../service/session.ts';
import { listTokens, may } from '../service/tokens.ts';
import { listWebhooks, type Webhook } from '../service/webhooks.ts';
import { texts } from '../texts.ts';
import { stateOf as stateOfToken } from '../tokens/token-table.tsx';
import { Ago } from '../ui/ago.tsx';
import { Chart } from '../ui/chart.tsx';
import { Icon, OkIcon, TokenIcon, WarningIcon, WebhookIcon } from '../ui/icons.tsx';
import { addressOf } from '../ui/route.ts';
import { type Loaded, useLoaded } from '../ui/use-loaded.ts';
import styles from './overview.module.css';

/** Milliseconds between two looks at what changes slowly, or takes long: a large store counts for a while. */
const SLOW_MS = 30_000;

/** Milliseconds that the charts show at least. */
const LEAST_MS = 60_000;

/** Groups of the latest activity that are shown. */
const GROUPS = 6;

/** Changes that a webhook has not delivered yet while all is well. */
const MOST_BEHIND = 100;

/** How the service is now. Figures are of the instance that answers. */
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
          <div class={now.readiness.status === 'unreachable' ? styles['stale'] : undefined}>
            <dl class={styles['facts']}>
              {may('plants:read') && <PlantCount />}
              {measured && <Figures of={measured} />}
            </dl>
            {measured && <Charts samples={now.samples} />}
          </div>
          {!may('metrics:read') && (
            <p class="soft">
              To see writes, response times, disk and backups, use a token with the scope metrics:read.
            </p>
          )}
          <Sections />
        </>
      )}
    </>
  );
}

/** Whether all is well, since when, and otherwise what to do. */
function State({ of: { readiness, answeredAt, measured } }: { readonly of: Overview }) {
  const { title, advice } = stateOf(readiness);
  const start = measured?.metrics.get('process_start_time_seconds');
  const isWell = readiness.status === 'ok';
  return (
    <div class={isWell ? styles['well'] : `banner ${readiness.status}`} role="status">
      <Icon of={isWell ? OkIcon : WarningIcon} />
      <strong>{title}</strong>
      <span>{advice}</span>
      {isWell && start && <small>{texts.overview.up(Date.now() - start * 1000)}</small>}
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

function Charts({ samples }: Pick<Overview, 'samples'>) {
  const [{ at: first } = { at: 0 }] = samples;
  const to = samples.at(-1)?.at ?? 0;
  const span = { from: Math.min(first, to - LEAST_MS), to };
  const { perSecond, milliseconds } = texts.overview;
  return (
    <div class={styles['charts']}>
      <div class="panel">
        <Chart
          {...span}
          name="Writes per second"
          points={samples.map(({ at, writesPerSecond }) => ({ at, value: writesPerSecond }))}
          format={perSecond}
        />
      </div>
      <div class="panel">
        <Chart
          {...span}
          name="Response time"
          points={samples.map((sample) => ({ at: sample.at, value: sample.latency }))}
          format={milliseconds}
        />
      </div>
    </div>
  );
}

/** What is loaded, and again from time to time. */
function useSlowly<Value>(load: (signal: AbortSignal) => Promise<Value>): Loaded<Value> {
  const loaded = useLoaded(load, [session.value]);
  useEffect(() => {
    const timer = setInterval(loaded.reload, SLOW_MS);
    return () => clearInterval(timer);
  }, [loaded.reload]);
  return loaded;
}

function PlantCount() {
  const { value, failure } = useSlowly(async (signal) => countPlants({}, signal));
  return (
    <Figure name={texts.views.plants} hint={failure?.message}>
      {value?.toLocaleString() ?? '–'}
    </Figure>
  );
}

function Figures({ of: { metrics, version, database } }: { readonly of: NonNullable<Overview['measured']> }) {
  const { ofLimit, free, backup, noBackups } = texts.overview;
  const metric = (name: string) => metrics.get(`plant_store_${name}`);
  const size = metric('database_size_bytes');
  const lastBackup = metric('backup_last_success_timestamp_seconds');
  return (
    <>
      <Figure name="Write queue">
        {ofLimit(metric('write_queue_length') ?? 0, metric('write_queue_limit') ?? 0)}
      </Figure>
      {size !== undefined && (
        <Figure name="Database" hint={free(texts.transfer.size(metric('database_disk_free_bytes') ?? 0))}>
          {texts.transfer.size(size)}
        </Figure>
      )}
      {lastBackup === undefined ? (
        <Figure name={backup} hint={noBackups[1]}>
          {noBackups[0]}
        </Figure>
      ) : (
        <Figure name={backup}>
          {lastBackup > 0 ? new Date(lastBackup * 1000).toLocaleString() : 'None yet'}
        </Figure>
      )}
      <Figure name="Version" hint={database}>
        {version}
      </Figure>
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

/** What happened last, and what needs somebody. */
function Sections() {
  const isAdmin = may('admin');
  const tokens = useSlowly(async (signal) => (isAdmin ? listTokens(signal) : []));
  const webhooks = useSlowly(async (signal) => (isAdmin ? listWebhooks(signal) : []));
  const changes = feed.value?.changes ?? [];
  const log = new ActivityLog().with(changes, changes.length >= LATEST_CHANGES);
  const { webhooksWell } = texts.overview;
  return (
    <div class={styles['sections']}>
      {may('plants:read') && (
        <Section title="Latest activity" view="activity">
          <ActivityList log={log} groups={log.groups.slice(0, GROUPS)} tokens={tokens.value} />
          {log.groups.length === 0 && <p class="panel soft">{texts.activity.none}</p>}
        </Section>
      )}
      {isAdmin && (
        <div>
          <Section title="Webhooks" view="webhooks">
            <Notes
              icon={WebhookIcon}
              well={webhooksWell(webhooks.value?.length ?? 0)}
              of={webhooks.value?.flatMap((webhook) => {
                const { id, url, lastFailureAt: at } = webhook;
                const problem = problemOf(webhook);
                return problem ? [{ id, name: url.replace(/^https?:../, ''), problem, at }] : [];
              })}
            />
          </Section>
          <Section title="Expiring tokens" view="tokens">
            <Notes
              icon={TokenIcon}
              well="No token expires within 14 days."
              of={tokens.value
                ?.filter((token) => stateOfToken(token) === 'ending')
                .map(({ id, name, expiresAt }) => ({
                  id,
                  name,
                  problem: 'Expires',
                  at: expiresAt,
                }))}
            />
          </Section>
        </div>
      )}
    </div>
  );
}

/** Why a webhook needs somebody. */
function problemOf({ state, behind, lastFailureAt = '', lastSuccessAt = '' }: Webhook): string | undefined {
  const { behindBy, webhookStates } = texts.overview;
  if (state !== 'active') return webhookStates[state] ?? state;
  if (lastFailureAt > lastSuccessAt) return 'Failing';
  return behind > MOST_BEHIND ? behindBy(behind) : undefined;
}

interface SectionProps {
  readonly title: string;
  /** Where there is more of it. */
  readonly view: string;
  readonly children: ComponentChildren;
}

function Section({ title, view, children }: SectionProps) {
  return (
    <section>
      <header>
        <h2>{title}</h2>
        <a href={addressOf(view)} aria-label={`${title}: ${texts.overview.all}`}>
          {texts.overview.all}
        </a>
      </header>
      {children}
    </section>
  );
}

interface NotesProps {
  readonly icon: IconNode;
  /** What is said where there is none. */
  readonly well: string;
  readonly of:
    | readonly {
        readonly id: string;
        readonly name: string;
        readonly problem: string;
        readonly at?: string | undefined;
      }[]
    | undefined;
}

/** What needs somebody, each with its time. */
function Notes({ icon, well, of: notes }: NotesProps) {
  return (
    <ul class={`panel ${styles['notes']}`}>
      {notes?.map(({ id, name, problem, at }) => (
        <li key={id}>
          <Icon of={icon} />
          <bdi>{name}</bdi>
          <span class="warning">{problem}</span>
          {at && <Ago at={at} />}
        </li>
      ))}
      {notes?.length === 0 && (
        <li class="soft">
          <Icon of={OkIcon} /> {well}
        </li>
      )}
    </ul>
  );
}

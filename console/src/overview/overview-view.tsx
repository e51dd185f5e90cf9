import { CircleCheck, type IconPath, Key, TriangleAlert, Webhook } from '../ui/icons.js';
import type { ComponentChildren } from 'preact';
import { ActivityList } from '../activity/activity-list.tsx';
import { ActivityLog } from '../activity/activity-log.ts';
import { feed, LATEST as LATEST_CHANGES } from '../service/changes.ts';
import { type Overview, overview, type Readiness, readOverview } from '../service/overview.ts';
import { countPlants } from '../service/plants.ts';
import { retryState } from '../service/connection.ts';
import { listTokens, may } from '../service/tokens.ts';
import { number, plural, sizeOf, texts, UNITS } from '../texts.ts';
import { stateOf as stateOfToken } from '../tokens/tokens-view.tsx';
import { Ago, moment } from '../ui/time.tsx';
import { Icon } from '../ui/button.tsx';
import { Page } from '../ui/page.tsx';
import { addressOf } from '../ui/route.ts';
import { useWatched } from '../ui/use-loaded.ts';
import { listWebhooks, lookOf, problemOf } from '../webhooks/webhook-state.tsx';
import styles from './overview.module.css';

/** Milliseconds between refreshes of the state; of the count, tokens and webhooks: counting a large store takes a while. */
const FAST_MS = 3_000;
const SLOW_MS = 30_000;

const GROUPS = 6;

/** The title and advice for each state. */
const STATES = {
  ok: ['Ready', 'Reads and writes work.'],
  unavailable: ['The service is not ready.', 'Check its log and its database. It recovers by itself.'],
  unreachable: [texts.offline, 'Check that it is running and that your network reaches it. Retrying …'],
} as const;

/** The title and advice for each failed check of a degraded service. */
const CHECKS: Readonly<Record<string, readonly [title: string, advice: string]>> = {
  writes: ['Writes fail.', 'Reads work. The log says why. Writes resume by themselves.'],
  file: [
    'The database file is damaged.',
    'The service has stopped writing. Stop it, keep a copy of the file, and restore a backup.',
  ],
  servers: ['A server of the database is not reached directly.', 'Check the network and that server.'],
};

/** The state and figures of the instance that responds. */
export function OverviewView() {
  const now = overview.value;
  useWatched(readOverview, FAST_MS);
  const measured = may('metrics:read') ? now?.measured : undefined;
  return (
    <Page title="Overview">
      {now && (
        <>
          <State of={now} />
          <div class={now.readiness.status === 'unreachable' ? styles['stale'] : undefined}>
            <dl class={`card ${styles['facts']}`}>
              {may('plants:read') && <PlantCount />}
              {measured && <Figures of={measured} />}
            </dl>
          </div>
          {!may('metrics:read') && (
            <p class="soft">Access that can see metrics also shows the write queue, disk and backups here.</p>
          )}
          <Sections />
        </>
      )}
    </Page>
  );
}

/** The state of the service, with advice if it is not ready. */
function State({ of: { readiness, answeredAt, measured } }: { readonly of: Overview }) {
  const [title, advice] = stateOf(readiness);
  const start = measured?.metrics.get('process_start_time_seconds');
  const isWell = readiness.status === 'ok';
  const isUnreachable = readiness.status === 'unreachable';
  const age = isUnreachable && answeredAt && (
    <small>{`Last updated ${answeredAt.toLocaleTimeString()}`}</small>
  );
  // The banner of the page says it already.
  if (isUnreachable && retryState.value !== undefined) return <>{age}</>;
  return (
    <div class={isWell ? `row ${styles['well']}` : `banner ${readiness.status}`} role="status">
      <Icon of={isWell ? CircleCheck : TriangleAlert} />
      <strong>{title}</strong>
      <span>{advice}</span>
      {isWell && start && <small>{`Up for ${lengthOf(Date.now() - start * 1000)}`}</small>}
      {age}
    </div>
  );
}

function stateOf({ status, check = '', message }: Readiness): readonly [title: string, advice: string] {
  if (status === 'degraded')
    return CHECKS[check] ?? [`Degraded (${check}).`, 'Reads work. Check the log of the service.'];
  return [message ?? STATES[status][0], STATES[status][1]];
}

function lengthOf(milliseconds: number): string {
  const [unit, size] = UNITS.find(([, each]) => milliseconds >= each) ?? (['second', 1_000] as const);
  return plural(Math.floor(milliseconds / size), unit);
}

function PlantCount() {
  const { value, failure } = useWatched(async (signal) => countPlants({}, signal), SLOW_MS);
  return (
    <Figure name="Plants" hint={failure?.message}>
      {value === undefined ? '–' : number(value)}
    </Figure>
  );
}

function Figures({ of: { metrics, version, database } }: { readonly of: NonNullable<Overview['measured']> }) {
  const metric = (name: string) => metrics.get(`plant_store_${name}`);
  const size = metric('database_size_bytes');
  const lastBackup = metric('backup_last_success_timestamp_seconds');
  return (
    <>
      <Figure name="Write queue">
        {number(metric('write_queue_length') ?? 0)} / {number(metric('write_queue_limit') ?? 0)}
      </Figure>
      {size !== undefined && (
        <Figure name="Database" hint={`${sizeOf(metric('database_disk_free_bytes') ?? 0)} free`}>
          {sizeOf(size)}
        </Figure>
      )}
      <Figure name="Last backup" hint={lastBackup === undefined ? 'Set BACKUP_FOLDER.' : undefined}>
        {lastBackup
          ? moment(new Date(lastBackup * 1000).toISOString())
          : lastBackup === 0
            ? 'None yet'
            : 'Off'}
      </Figure>
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

function Sections() {
  const isAdmin = may('admin');
  const tokens = useWatched(async (signal) => (isAdmin ? listTokens(signal) : []), SLOW_MS);
  const webhooks = useWatched(async (signal) => (isAdmin ? listWebhooks(signal) : []), SLOW_MS);
  const changes = feed.value?.changes ?? [];
  const log = new ActivityLog().with(changes, changes.length >= LATEST_CHANGES);
  const count = webhooks.value?.length ?? 0;
  return (
    <div class={styles['sections']}>
      {may('plants:read') && (
        <Section title="Latest activity" view="activity">
          <ActivityList log={log} groups={log.groups.slice(0, GROUPS)} tokens={tokens.value} />
          {log.groups.length === 0 && <p class="panel soft">{texts.noChanges}</p>}
        </Section>
      )}
      {isAdmin && (
        <div>
          <Section title="Webhooks" view="webhooks">
            <Notes
              icon={Webhook}
              well={count === 0 ? 'No webhooks' : `${plural(count, 'webhook')}, up to date`}
              of={webhooks.value?.map((webhook) => ({
                id: webhook.id,
                name: webhook.url.replace(/^https?:../, ''),
                address: addressOf('webhooks', { id: webhook.id }),
                problem: problemOf(webhook),
                look: lookOf(webhook),
                at: webhook.lastFailureAt,
              }))}
            />
          </Section>
          <Section title="Expiring tokens" view="tokens">
            <Notes
              icon={Key}
              well="No token expires within 14 days."
              of={tokens.value?.map((token) => ({
                id: token.id,
                name: token.name,
                address: addressOf('tokens'),
                problem: stateOfToken(token) === 'ending' ? 'Expires' : undefined,
                look: 'warning',
                at: token.expiresAt,
              }))}
            />
          </Section>
        </div>
      )}
    </div>
  );
}

interface SectionProps {
  readonly title: string;
  readonly view: string;
  readonly children: ComponentChildren;
}

function Section({ title, view, children }: SectionProps) {
  return (
    <section>
      <header>
        <h2>{title}</h2>
        <a href={addressOf(view)} aria-label={`${title}: View all`}>
          View all
        </a>
      </header>
      {children}
    </section>
  );
}

/** A status row, with the action it needs, if any. */
interface Note extends Readonly<
  Record<'id' | 'name' | 'address', string> & Record<'problem' | 'at', string | undefined>
> {
  readonly look: 'danger' | 'warning';
}

interface NotesProps {
  readonly icon: IconPath;
  /** Shown if no row has a problem. */
  readonly well: string;
  readonly of: readonly Note[] | undefined;
}

function Notes({ icon, well, of: all }: NotesProps) {
  const notes = all?.filter(({ problem }) => problem !== undefined);
  return (
    <ul class="panel list">
      {notes?.map(({ id, name, address, problem, look, at }) => (
        <li key={id} class="line">
          <Icon of={icon} />
          <a class={styles['name']} href={address} dir="auto">
            {name}
          </a>
          <span class={look}>{problem}</span>
          {at && <Ago at={at} />}
        </li>
      ))}
      {notes?.length === 0 && (
        <li class="line soft">
          <Icon of={CircleCheck} /> {well}
        </li>
      )}
    </ul>
  );
}

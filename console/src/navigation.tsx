import { Signal } from '@preact/signals';
import {
  Activity,
  ArrowUpDown,
  BookOpen,
  Ellipsis,
  ExternalLink,
  Gauge,
  type IconPath,
  Key,
  Leaf,
  LogOut,
  Monitor,
  Moon,
  Sun,
  Tag,
  Webhook,
} from './ui/icons.js';
import type { ComponentChildren } from 'preact';
import styles from './navigation.module.css';
import { access, may } from './service/tokens.ts';
import { feed } from './service/changes.ts';
import { session, signOut } from './service/session.ts';
import { texts } from './texts.ts';
import { activity } from './transfer/background.ts';
import { Button, Icon, IconButton } from './ui/button.tsx';
import { addressOf } from './ui/route.ts';
import { useWatched } from './ui/use-loaded.ts';
import { latestWebhooks, listWebhooks, problemOf } from './webhooks/webhook-state.tsx';

/** Milliseconds between reads of the webhooks where no view shows them. */
const WEBHOOKS_MS = 60_000;

/** Every view, by its name in the address. */
export const VIEWS = {
  plants: ['Plants', Leaf],
  tags: ['Tags', Tag],
  activity: ['Activity', Activity],
  transfer: ['Import and export', ArrowUpDown],
  webhooks: ['Webhooks', Webhook],
  tokens: ['Access', Key],
  overview: ['Overview', Gauge],
} as const satisfies Record<string, readonly [name: string, icon: IconPath]>;

export type ViewName = keyof typeof VIEWS;

export function availableViews() {
  return Object.entries(VIEWS).filter(([view]) => !['webhooks', 'tokens'].includes(view) || may('admin'));
}

interface NavigationProps {
  readonly current: ViewName;
  /** Opens the list of all views, where there is no room for it. */
  readonly onMore: () => void;
  readonly children: ComponentChildren;
}

/** Links to all views. */
export function Navigation({ current, onMore, children }: NavigationProps) {
  const isSignedIn = session.value !== undefined;
  return (
    <header class={styles['bar']}>
      <a class={styles['brand']} href={addressOf('plants')}>
        <Icon of={Leaf} /> <span>{texts.title}</span>
      </a>
      {children}
      <nav class={`links ${styles['views']}`}>
        {availableViews().map(([view, [name, icon]]) => (
          <a
            key={view}
            href={addressOf(view)}
            title={name}
            aria-current={view === current ? 'page' : undefined}
          >
            <Icon of={icon} />
            <span>{name}</span>
            {view === 'transfer' && activity.value && <span class="tag">{activity.value}</span>}
            {view === 'webhooks' && access.value && <WebhookMark />}
          </a>
        ))}
        <a href="../docs/" title={texts.reference} target="_blank">
          <Icon of={BookOpen} />
          <span>{texts.reference}</span>
          <Icon of={ExternalLink} />
        </a>
        <Button class={styles['more']} icon={Ellipsis} onClick={onMore}>
          <span>More</span>
        </Button>
      </nav>
      <div class={styles['foot']}>
        {isSignedIn && <bdi class={styles['who']}>{access.value?.name}</bdi>}
        {isSignedIn && <Connection />}
        <ThemeSwitch />
        {isSignedIn && <IconButton icon={LogOut} label="Sign out" onClick={signOut} />}
      </div>
    </header>
  );
}

/** A red dot while a webhook has a problem. */
function WebhookMark() {
  useWatched(listWebhooks, WEBHOOKS_MS);
  const count = latestWebhooks.value.filter((webhook) => problemOf(webhook) !== undefined).length;
  if (count === 0) return null;
  return <span class={`dot ${styles['off']}`} role="img" aria-label={`${count} with a problem`} />;
}

/** Whether the page receives live changes. */
function Connection() {
  const { failure } = feed.value ?? {};
  // Without the scope, or with CHANGES_KEPT=0, there are no live changes.
  if (feed.value === undefined || [403, 410].includes(failure?.status ?? 0)) return null;
  return (
    <span
      class={`dot ${styles['connection']} ${failure ? styles['off'] : ''}`}
      role="status"
      title={failure?.message ?? 'Live'}
    >
      <span>{failure ? 'Offline' : 'Live'}</span>
    </span>
  );
}

const THEME_KEY = 'plant-store-theme';

const THEMES = ['system', 'light', 'dark'] as const;
const THEME_ICONS = { system: Monitor, light: Sun, dark: Moon };

const theme = new Signal(THEMES.find((name) => name === localStorage.getItem(THEME_KEY)) ?? 'system');

theme.subscribe((name) => {
  document.documentElement.style.colorScheme = name === 'system' ? '' : name;
  localStorage.setItem(THEME_KEY, name);
});

function ThemeSwitch() {
  const next = THEMES[(THEMES.indexOf(theme.value) + 1) % THEMES.length] ?? 'system';
  const label = `Theme: ${theme.value}`;
  return <IconButton icon={THEME_ICONS[theme.value]} label={label} onClick={() => (theme.value = next)} />;
}

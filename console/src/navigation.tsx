import { Signal } from '@preact/signals';
import styles from './navigation.module.css';
import { feed } from './service/changes.ts';
import { signOut } from './service/session.ts';
import { access, may } from './service/tokens.ts';
import { GoToButton, openGoTo } from './shortcuts/shortcuts.tsx';
import { texts } from './texts.ts';
import { activity } from './transfer/background.ts';
import { Button, Icon, IconButton } from './ui/button.tsx';
import { BookOpen, Ellipsis, ExternalLink, Leaf, LogOut, Monitor, Moon, Sun } from './ui/icons.js';
import { addressOf } from './ui/route.ts';
import { useLoaded } from './ui/use-loaded.ts';
import { availableViews, currentView } from './views.ts';
import { latestWebhooks, listWebhooks, lookOf, problemOf } from './webhooks/webhook-state.tsx';

/** Milliseconds between reads of the webhooks where no view shows them. */
const WEBHOOKS_MS = 60_000;

/** Links to all views. */
export function Navigation() {
  const readWebhooks = async (signal: AbortSignal) =>
    access.value && may('admin') ? listWebhooks(signal) : [];
  useLoaded(readWebhooks, [access.value], WEBHOOKS_MS);
  return (
    <header class={styles['bar']}>
      <a class={styles['brand']} href={addressOf('plants')}>
        <Icon of={Leaf} /> <span>{texts.title}</span>
      </a>
      <GoToButton />
      <nav class={`links ${styles['views']}`}>
        {availableViews().map(([view, { title, icon }]) => (
          <a
            key={view}
            href={addressOf(view)}
            title={title}
            aria-current={view === currentView.value ? 'page' : undefined}
          >
            <Icon of={icon} />
            <span>{title}</span>
            {view === 'transfer' && activity.value && <span class="tag">{activity.value}</span>}
            {view === 'webhooks' && <WebhookMark />}
          </a>
        ))}
        <a href="../docs/" title={texts.reference} target="_blank">
          <Icon of={BookOpen} />
          <span>{texts.reference}</span>
          <Icon of={ExternalLink} />
        </a>
        <Button class={`quiet ${styles['more']}`} icon={Ellipsis} onClick={openGoTo}>
          <span>More</span>
          <WebhookMark />
        </Button>
      </nav>
      <div class={styles['foot']}>
        <bdi class={styles['who']}>{access.value?.name}</bdi>
        <Connection />
        <ThemeSwitch />
        <IconButton icon={LogOut} label="Sign out" onClick={signOut} />
      </div>
    </header>
  );
}

/** A dot while a webhook has a problem: red if one fails. */
function WebhookMark() {
  const problems = latestWebhooks.value.filter((webhook) => problemOf(webhook) !== undefined);
  if (problems.length === 0) return null;
  const look = problems.some((webhook) => lookOf(webhook) === 'danger') ? 'danger' : 'warning';
  return (
    <span
      class={`dot ${styles['mark']} ${look}`}
      role="img"
      aria-label={`${problems.length} with a problem`}
    />
  );
}

/** Whether the page receives live changes. */
function Connection() {
  const { failure } = feed.value ?? {};
  // Without the scope, or with CHANGES_KEPT=0, there are no live changes.
  if (feed.value === undefined || [403, 410].includes(failure?.status ?? 0)) return null;
  return (
    <span
      class={`dot soft ${styles['connection']} ${failure ? styles['off'] : ''}`}
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

import type { IconNode } from 'lucide';
import type { ComponentChildren } from 'preact';
import styles from './navigation.module.css';
import { may } from './service/tokens.ts';
import { feed } from './service/changes.ts';
import { session, signOut } from './service/session.ts';
import { texts } from './texts.ts';
import { activity } from './transfer/background.ts';
import { IconButton } from './ui/controls/button.tsx';
import {
  ActivityIcon,
  ExternalIcon,
  Icon,
  OverviewIcon,
  PlantIcon,
  ReferenceIcon,
  SignOutIcon,
  TokenIcon,
  TransferIcon,
  WebhookIcon,
} from './ui/icons.tsx';
import { addressOf } from './ui/route.ts';
import { ThemeSwitch } from './ui/controls/theme-switch.tsx';

export type ViewName = keyof typeof texts.views;

const ICONS: Readonly<Record<ViewName, IconNode>> = {
  plants: PlantIcon,
  activity: ActivityIcon,
  transfer: TransferIcon,
  webhooks: WebhookIcon,
  tokens: TokenIcon,
  overview: OverviewIcon,
};

/** Whether the user may open a view. */
export function isOffered(view: string): boolean {
  return !['webhooks', 'tokens'].includes(view) || may('admin');
}

interface NavigationProps {
  readonly current: ViewName | 'reference';
  /** Whether there is the console beside the reference. */
  readonly hasConsole?: boolean;
  readonly children?: ComponentChildren;
}

/** Where one can go, and where one is: the same on the console and on the page of the reference. */
export function Navigation({ current, hasConsole = true, children }: NavigationProps) {
  const isSignedIn = session.value !== undefined;
  const views = (Object.keys(texts.views) as ViewName[]).filter((view) => hasConsole && isOffered(view));
  return (
    <header class={styles['bar']}>
      <a class={styles['brand']} href={hasConsole ? addressOf('plants') : '../docs'}>
        <Icon of={PlantIcon} /> <span>{texts.title}</span>
      </a>
      {children}
      <nav class={styles['views']}>
        {views.map((view) => (
          <a
            key={view}
            href={addressOf(view)}
            title={texts.views[view]}
            aria-current={view === current ? 'page' : undefined}
          >
            <Icon of={ICONS[view]} />
            <span>{texts.views[view]}</span>
            {view === 'transfer' && activity.value && <span class="tag">{activity.value}</span>}
          </a>
        ))}
        <a
          href="../docs"
          title={texts.reference}
          target={current === 'reference' ? undefined : '_blank'}
          aria-current={current === 'reference' ? 'page' : undefined}
        >
          <Icon of={ReferenceIcon} />
          <span>{texts.reference}</span>
          {current !== 'reference' && <Icon of={ExternalIcon} />}
        </a>
      </nav>
      <div class={styles['foot']}>
        {isSignedIn && <Connection />}
        <ThemeSwitch />
        {isSignedIn && <IconButton icon={SignOutIcon} label="Sign out" onClick={signOut} />}
      </div>
    </header>
  );
}

/** Whether what is shown follows the service, as far as that is known. */
function Connection() {
  const { failure } = feed.value ?? {};
  // Without a right to them, or where none are kept, nothing is followed.
  if (feed.value === undefined || [403, 410].includes(failure?.status ?? 0)) return null;
  return (
    <span
      class={`${styles['connection']} ${failure ? styles['off'] : ''}`}
      role="status"
      title={failure?.message ?? 'Live'}
    >
      <span>{failure ? 'Offline' : 'Live'}</span>
    </span>
  );
}

import type { ComponentChildren } from 'preact';
import { may } from './service/tokens.ts';
import { feed } from './service/changes.ts';
import { session, signOut } from './service/session.ts';
import { texts } from './texts.ts';
import { activity } from './transfer/background.ts';
import { addressOf } from './ui/route.ts';
import { ThemeSwitch } from './ui/theme-switch.tsx';

export type ViewName = keyof typeof texts.views;

interface TopBarProps {
  readonly current: ViewName | 'reference';
  /** Whether there is the console beside the reference. */
  readonly hasConsole?: boolean;
  readonly children?: ComponentChildren;
}

/** Where one can go, and where one is: the same on the console and on the page of the reference. */
export function TopBar({ current, hasConsole = true, children }: TopBarProps) {
  const isSignedIn = session.value !== undefined;
  const views = (Object.keys(texts.views) as ViewName[]).filter(
    (view) => hasConsole && (view !== 'tokens' || may('admin')),
  );
  return (
    <header class="top">
      <a class="brand" href={hasConsole ? addressOf('plants') : '../docs'}>
        {texts.title}
      </a>
      <nav class="links">
        {views.map((view) => (
          <a key={view} href={addressOf(view)} aria-current={view === current ? 'page' : undefined}>
            {texts.views[view]}{' '}
            {view === 'transfer' && activity.value && <span class="tag">{activity.value}</span>}
          </a>
        ))}
        <a
          href="../docs"
          target={current === 'reference' ? undefined : '_blank'}
          aria-current={current === 'reference' ? 'page' : undefined}
        >
          {texts.reference}
        </a>
      </nav>
      {children}
      {isSignedIn && <Connection />}
      <ThemeSwitch />
      {isSignedIn && (
        <button type="button" class="quiet" onClick={signOut}>
          {texts.signIn.signOut}
        </button>
      )}
    </header>
  );
}

/** Whether what is shown follows the service, as far as that is known. */
function Connection() {
  const { failure } = feed.value ?? {};
  // Without a right to them, or where none are kept, nothing is followed.
  if (feed.value === undefined || [403, 410].includes(failure?.status ?? 0)) return null;
  const { live, offline } = texts.connection;
  return (
    <span class={failure ? 'connection off' : 'connection'} role="status" title={failure?.message}>
      {failure ? offline : live}
    </span>
  );
}

import { useSignalEffect } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Navigation, type ViewName } from './navigation.tsx';
import { PlantsView } from './plants/plants-view.tsx';
import { watchAccess } from './service/tokens.ts';
import { watchChanges } from './service/changes.ts';
import { session } from './service/session.ts';
import { GoToButton, Shortcuts } from './shortcuts/shortcuts.tsx';
import { SignIn } from './sign-in.tsx';
import { texts } from './texts.ts';
import { activity } from './transfer/background.ts';
import { RetryNotice } from './ui/messages/notice.tsx';
import { later } from './ui/later.tsx';
import { MessageBar } from './ui/messages/message.tsx';
import { route } from './ui/route.ts';

/** What a user can open, by the name that the address has for it. */
const VIEWS = {
  plants: PlantsView,
  activity: later((parts) => parts.ActivityView),
  transfer: later((parts) => parts.TransferView),
  webhooks: later((parts) => parts.WebhooksView),
  tokens: later((parts) => parts.TokensView),
  overview: later((parts) => parts.OverviewView),
} as const satisfies Record<ViewName, unknown>;

/** The whole page: where one can go, and where one is. */
export function App() {
  const isSignedIn = session.value !== undefined;
  const name = viewName();
  const View = VIEWS[name];
  useEffect(watchAccess, []);
  useEffect(watchChanges, []);
  useSignalEffect(() => {
    document.title = [activity.value, texts.views[viewName()], texts.title].filter(Boolean).join(' · ');
  });
  return (
    <>
      <Navigation current={name}>{isSignedIn && <GoToButton />}</Navigation>
      <main>
        <RetryNotice />
        {isSignedIn && <View />}
      </main>
      <MessageBar />
      {isSignedIn && <Shortcuts />}
      <SignIn />
    </>
  );
}

function viewName(): ViewName {
  const { view } = route.value;
  return Object.hasOwn(VIEWS, view) ? (view as ViewName) : 'plants';
}

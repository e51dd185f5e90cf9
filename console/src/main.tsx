import { Navigation, type ViewName, VIEWS } from './navigation.tsx';
import { PlantsView } from './plants/plants-view.tsx';
import { watchChanges } from './service/changes.ts';
import { firstPage } from './service/first-page.ts';
import { returnFromIdentityProvider } from './service/identity-provider.ts';
import { session } from './service/session.ts';
import { watchAccess } from './service/tokens.ts';
import { GoToButton, Shortcuts } from './shortcuts/shortcuts.tsx';
import { SignIn } from './sign-in.tsx';
import { texts } from './texts.ts';
import { activity } from './transfer/background.ts';
import { later } from './ui/later.tsx';
import { MessageBar, RetryNotice } from './ui/messages/message.tsx';
import { route } from './ui/route.ts';
import { useSignalEffect } from '@preact/signals';
import { render } from 'preact';
import { useEffect } from 'preact/hooks';

/** Milliseconds that the page waits for its first rows at most: to draw it twice takes longer than to wait. */
const PATIENCE_MS = 200;

const PAGES = {
  plants: PlantsView,
  activity: later((parts) => parts.ActivityView),
  transfer: later((parts) => parts.TransferView),
  webhooks: later((parts) => parts.WebhooksView),
  tokens: later((parts) => parts.TokensView),
  overview: later((parts) => parts.OverviewView),
} as const satisfies Record<ViewName, unknown>;

/** The whole page: where one can go, and where one is. */
function App() {
  const isSignedIn = session.value !== undefined;
  const name = viewName();
  const View = PAGES[name];
  useEffect(watchAccess, []);
  useEffect(watchChanges, []);
  useSignalEffect(() => {
    document.title = [activity.value, VIEWS[viewName()][0], texts.title].filter(Boolean).join(' · ');
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

if (!returnFromIdentityProvider())
  void Promise.race([firstPage, new Promise((resolve) => setTimeout(resolve, PATIENCE_MS))]).then(() =>
    render(<App />, document.getElementById('console') as HTMLElement),
  );

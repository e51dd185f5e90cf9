import { ActivityView } from './activity/activity-view.tsx';
import { Navigation, type ViewName, VIEWS } from './navigation.tsx';
import { OverviewView } from './overview/overview-view.tsx';
import { PlantsView } from './plants/plants-view.tsx';
import { watchChanges } from './service/changes.ts';
import { returnFromIdentityProvider } from './service/identity-provider.ts';
import { knownTags } from './service/plants.ts';
import { session } from './service/session.ts';
import { watchAccess } from './service/tokens.ts';
import { GoToButton, openGoTo, Shortcuts } from './shortcuts/shortcuts.tsx';
import { SignIn } from './sign-in.tsx';
import { TagsView } from './tags/tags-view.tsx';
import { texts } from './texts.ts';
import { TokensView } from './tokens/tokens-view.tsx';
import { activity } from './transfer/background.ts';
import { TransferView } from './transfer/transfer-view.tsx';
import { MessageBar, RetryNotice } from './ui/messages/message.tsx';
import { route } from './ui/route.ts';
import { WebhooksView } from './webhooks/webhooks-view.tsx';
import { useSignalEffect } from '@preact/signals';
import { render } from 'preact';
import { useEffect } from 'preact/hooks';

const PAGES = {
  plants: PlantsView,
  tags: TagsView,
  activity: ActivityView,
  transfer: TransferView,
  webhooks: WebhooksView,
  tokens: TokensView,
  overview: OverviewView,
} as const satisfies Record<ViewName, unknown>;

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
      {isSignedIn && (
        <>
          <Navigation current={name} onMore={openGoTo}>
            <GoToButton />
          </Navigation>
          <main>
            <RetryNotice />
            <View />
          </main>
          <Shortcuts />
          <datalist id="tags">
            {[...knownTags.value].slice(0, 1_000).map((tag) => (
              <option key={tag} value={tag} />
            ))}
          </datalist>
        </>
      )}
      <MessageBar />
      <SignIn />
    </>
  );
}

function viewName(): ViewName {
  const { view } = route.value;
  return Object.hasOwn(VIEWS, view) ? (view as ViewName) : 'plants';
}

if (!returnFromIdentityProvider()) render(<App />, document.getElementById('console') as HTMLElement);

import { useSignalEffect } from '@preact/signals';
import { render } from 'preact';
import { useEffect } from 'preact/hooks';
import { Navigation } from './navigation.tsx';
import { watchChanges } from './service/changes.ts';
import { returnFromIdentityProvider } from './service/identity-provider.ts';
import { knownTags } from './service/plants.ts';
import { session } from './service/session.ts';
import { watchAccess } from './service/tokens.ts';
import { Shortcuts } from './shortcuts/shortcuts.tsx';
import { SignIn } from './sign-in.tsx';
import { texts } from './texts.ts';
import { activity } from './transfer/background.ts';
import { MessageBar, RetryNotice } from './ui/messages/message.tsx';
import { currentView, VIEWS } from './views.ts';

function App() {
  const { View } = VIEWS[currentView.value];
  useEffect(watchAccess, []);
  useEffect(watchChanges, []);
  useSignalEffect(() => {
    const { title } = VIEWS[currentView.value];
    document.title = [activity.value, title, texts.title].filter(Boolean).join(' · ');
  });
  return (
    <>
      {session.value && (
        <>
          <Navigation />
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

if (!returnFromIdentityProvider()) render(<App />, document.getElementById('console') as HTMLElement);

import { User } from 'lucide';
import { render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { DocsView } from './docs/docs-view.tsx';
import { Navigation } from './navigation.tsx';
import { watchAccess } from './service/tokens.ts';
import { session } from './service/session.ts';
import { SignInDialog } from './sign-in.tsx';
import { texts } from './texts.ts';
import { Button } from './ui/button.tsx';
import { MessageBar } from './ui/messages/message.tsx';

/** The page of the reference. Everyone may read it; who sends a request signs in first. */
function DocsPage() {
  const isSignedIn = session.value !== undefined;
  const [isSigningIn, setIsSigningIn] = useState(false);
  const signIn = () => setIsSigningIn(true);
  useEffect(watchAccess, []);
  return (
    <>
      <Navigation current="reference" hasConsole={document.documentElement.dataset['console'] !== undefined}>
        {!isSignedIn && (
          <Button icon={User} class="quiet" title={texts.signIn} onClick={signIn}>
            {' '}
            <span>{texts.signIn}</span>
          </Button>
        )}
      </Navigation>
      <main>
        <DocsView onSignIn={signIn} />
      </main>
      <MessageBar />
      {isSigningIn && !isSignedIn && <SignInDialog onLeave={() => setIsSigningIn(false)} />}
    </>
  );
}

render(<DocsPage />, document.getElementById('docs') as HTMLElement);

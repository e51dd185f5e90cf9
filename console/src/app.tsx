import { useEffect } from 'preact/hooks';
import { OverviewView } from './overview/overview-view.tsx';
import { PlantsView } from './plants/plants-view.tsx';
import { access, may, watchAccess } from './service/access.ts';
import { signOut, token } from './service/session.ts';
import { SignIn } from './sign-in.tsx';
import { texts } from './texts.ts';
import { TokensView } from './tokens/tokens-view.tsx';
import { TransferView } from './transfer/transfer-view.tsx';
import { HoldNotice } from './ui/hold-notice.tsx';
import { MessageBar } from './ui/message.tsx';
import { useValue } from './ui/observable.ts';
import { addressOf, route } from './ui/route.ts';

/** What a user can open, by the name that the address has for it. */
const VIEWS = {
  plants: PlantsView,
  transfer: TransferView,
  tokens: TokensView,
  overview: OverviewView,
} as const;

type ViewName = keyof typeof VIEWS;

/** The whole page: where one can go, and where one is. */
export function App() {
  const { view } = useValue(route);
  const isSignedIn = useValue(token) !== undefined;
  const name: ViewName = Object.hasOwn(VIEWS, view) ? (view as ViewName) : 'plants';
  const View = VIEWS[name];
  useValue(access);
  const views = (Object.keys(VIEWS) as ViewName[]).filter((other) => other !== 'tokens' || may('admin'));
  useEffect(watchAccess, []);
  useEffect(() => {
    document.title = `${texts.views[name]} · ${texts.title}`;
  }, [name]);
  return (
    <>
      <header class="top">
        <a class="brand" href={addressOf('plants')}>
          {texts.title}
        </a>
        <nav>
          {views.map((other) => (
            <a key={other} href={addressOf(other)} aria-current={other === name ? 'page' : undefined}>
              {texts.views[other]}
            </a>
          ))}
          <a href="../docs" target="_blank">
            {texts.reference}
          </a>
        </nav>
        {isSignedIn && (
          <button type="button" class="quiet" onClick={signOut}>
            {texts.signIn.signOut}
          </button>
        )}
      </header>
      <main>
        <HoldNotice />
        {isSignedIn && <View />}
      </main>
      <MessageBar />
      <SignIn />
    </>
  );
}

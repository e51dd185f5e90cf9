import { render } from 'preact';
import { App } from './app.tsx';
import { firstPage } from './service/first-page.ts';
import { returnFromIdentityProvider } from './service/identity-provider.ts';

/** Milliseconds that the page waits for its first rows at most: to draw it twice takes longer than to wait. */
const PATIENCE_MS = 200;

if (!returnFromIdentityProvider())
  void Promise.race([firstPage, new Promise((resolve) => setTimeout(resolve, PATIENCE_MS))]).then(() =>
    render(<App />, document.getElementById('console') as HTMLElement),
  );

import { render } from 'preact';
import { App } from './app.tsx';
import { returnFromIdentityProvider } from './service/identity-provider.ts';

if (!returnFromIdentityProvider()) render(<App />, document.getElementById('console') as HTMLElement);

import { Signal } from '@preact/signals';
import { keptToken, TOKEN_KEY } from './first-page.ts';

/** A sign-in: a new object each time, also with the same token. */
export interface Session {
  readonly token: string;
  readonly isKept: boolean;
}

/** How the console gets in: with an access token, which the tab keeps until it is closed, or the browser until the user signs out. */
export const session = new Signal<Session | undefined>(keptSession());

/** Whether a text may be sent as a token (RFC 6750). */
export function isToken(text: string): boolean {
  return /^[\w.~+/-]+=*$/.test(text);
}

/** Uses a token from now on. */
export function signIn(token: string, isKept: boolean): void {
  forget();
  (isKept ? localStorage : sessionStorage).setItem(TOKEN_KEY, token);
  session.value = { token, isKept };
}

/** Forgets the token, and with a new page all that was shown, typed and waited for. */
export function signOut(): void {
  forget();
  session.value = undefined;
  history.replaceState(null, '', location.pathname);
  location.reload();
}

// The user has signed in or out in another tab.
addEventListener('storage', ({ key }) => {
  if (key !== TOKEN_KEY || (session.value && !session.value.isKept)) return;
  const kept = keptSession();
  if (kept?.isKept) session.value = kept;
  else if (session.value) signOut();
});

function keptSession(): Session | undefined {
  const token = keptToken();
  return token === null ? undefined : { token, isKept: localStorage.getItem(TOKEN_KEY) === token };
}

function forget(): void {
  localStorage.removeItem(TOKEN_KEY);
  sessionStorage.removeItem(TOKEN_KEY);
}

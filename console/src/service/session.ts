import { Signal } from '@preact/signals';

/** Where a token is stored: in `sessionStorage` for the tab, in `localStorage` for all tabs. */
const TOKEN_KEY = 'plant-store-token';

/** A sign-in; a new object each time, even with the same token. */
export interface Session {
  readonly token: string;
  readonly isKept: boolean;
}

/** The current sign-in; undefined before it. */
export const session = new Signal<Session | undefined>(keptSession());

/** Whether a text has the syntax of a token (RFC 6750). */
export function isToken(text: string): boolean {
  return /^[\w.~+/-]+=*$/.test(text);
}

/** Stores and uses a token. */
export function signIn(token: string, isKept: boolean): void {
  forget();
  (isKept ? localStorage : sessionStorage).setItem(TOKEN_KEY, token);
  session.value = { token, isKept };
}

/** Removes the token, and reloads the page to drop all data. */
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
  const token = sessionStorage.getItem(TOKEN_KEY) ?? localStorage.getItem(TOKEN_KEY);
  return token === null ? undefined : { token, isKept: localStorage.getItem(TOKEN_KEY) === token };
}

function forget(): void {
  localStorage.removeItem(TOKEN_KEY);
  sessionStorage.removeItem(TOKEN_KEY);
}

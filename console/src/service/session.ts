import { Observable } from '../ui/observable.ts';

/** Where the token is kept if the user asks for it: until the tab is closed. */
const KEY = 'plant-store-token';

/** How the console gets in: its access token, which is in memory only unless the user wants more. */
export const token = new Observable<string | undefined>(sessionStorage.getItem(KEY) ?? undefined);

/** Whether a text may be sent as a token (RFC 6750). */
export function isToken(text: string): boolean {
  return /^[\w.~+/-]+=*$/.test(text);
}

/** Uses a token from now on. */
export function signIn(secret: string, isKept: boolean): void {
  if (isKept) sessionStorage.setItem(KEY, secret);
  else sessionStorage.removeItem(KEY);
  token.value = secret;
}

/** Forgets the token, and with a new page all that was shown, typed and waited for. */
export function signOut(): void {
  sessionStorage.removeItem(KEY);
  history.replaceState(null, '', location.pathname);
  location.reload();
}

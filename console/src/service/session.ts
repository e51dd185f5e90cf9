import { Observable } from '../ui/observable.ts';

/** Where the token is kept if the user asks for it: until the tab is closed. */
const KEY = 'plant-store-token';

/** How the console gets in: its access token, which is in memory only unless the user wants more. */
export const token = new Observable<string | undefined>(
  tokenOfLink() ?? sessionStorage.getItem(KEY) ?? undefined,
);

// A link that is opened where the console is open already changes nothing but the fragment.
addEventListener('hashchange', () => {
  const secret = tokenOfLink();
  if (secret !== undefined) signIn(secret, false);
});

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

/** The token in the fragment of the link that a first start prints. It is taken out of the address and of the history at once. */
function tokenOfLink(): string | undefined {
  const { hash } = location;
  if (!hash.startsWith('#token=')) return undefined;
  history.replaceState(null, '', location.pathname);
  sessionStorage.removeItem(KEY);
  const secret = new URLSearchParams(hash.slice(1).replaceAll('+', '%2B')).get('token') ?? '';
  return isToken(secret) ? secret : undefined;
}

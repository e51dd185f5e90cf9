import { Observable } from '../ui/observable.ts';

/** Where the token is kept if the user asks for it: until the tab is closed. */
const KEY = 'plant-store-token';

/** How the console gets in: its access token, which is in memory only unless the user wants more. */
export const token = new Observable<string | undefined>(
  tokenOfLink() ?? sessionStorage.getItem(KEY) ?? undefined,
);

/** Uses a token from now on. */
export function signIn(secret: string, isKept: boolean): void {
  if (isKept) sessionStorage.setItem(KEY, secret);
  else sessionStorage.removeItem(KEY);
  token.value = secret;
}

/** Forgets the token. */
export function signOut(): void {
  sessionStorage.removeItem(KEY);
  token.value = undefined;
}

/** The token in the fragment of the link that a first start prints. It is taken out of the address and of the history at once. */
function tokenOfLink(): string | undefined {
  const [, secret] = /^#token=(.+)$/.exec(location.hash) ?? [];
  if (secret !== undefined) history.replaceState(null, '', location.pathname);
  return secret && decodeURIComponent(secret);
}

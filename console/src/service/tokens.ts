import { Signal } from '@preact/signals';
import type { CurrentToken, Token } from '../../../clients/typescript/src/contract.ts';
import { ask, nextPlace, probe, readJson, refusalOf, send } from './connection.ts';
import { session } from './session.ts';

const PATIENCE_MS = 20_000;

/** Reads the name and scopes of the token in use. */
export async function readCurrentToken(signal?: AbortSignal): Promise<CurrentToken> {
  return ask('GET', 'tokens/current', { signal });
}

/** The token in use; undefined until it is read. */
export const access = new Signal<CurrentToken | undefined>(undefined);

/** Whether the token has a scope. True until it is read: the service decides anyway. */
export function may(scope: string): boolean {
  return access.value?.scopes.includes(scope) ?? true;
}

/** Whether the token shows who has made the changes of others. */
export function seesOthers(): boolean {
  return may('admin') || may('tokens:read');
}

/** Reads the token after each sign-in. */
export function watchAccess(): void {
  let request = new AbortController();
  session.subscribe((current) => {
    request.abort();
    request = new AbortController();
    access.value = undefined;
    if (current === undefined) return;
    readCurrentToken(request.signal).then(
      (known) => (access.value = known),
      () => undefined,
    );
  });
}

/** Checks a token. @throws Error with the reason if it is invalid. */
export async function checkToken(secret: string): Promise<void> {
  const response = await probe('tokens/current', AbortSignal.timeout(PATIENCE_MS), {
    Authorization: `Bearer ${secret}`,
  });
  if (response?.ok) return;
  const { status, message } = await refusalOf(response);
  if (status === 401) throw new Error('Not a valid access token. Check that you copied all of it.');
  const seconds = response?.headers.get('Retry-After');
  throw new Error(seconds ? `${message} Try again in ${seconds} s.` : message);
}

/** Reads all access tokens, oldest first. */
export async function listTokens(signal: AbortSignal): Promise<readonly Token[]> {
  const tokens: Token[] = [];
  let after: string | undefined;
  do {
    const response = await send('GET', 'tokens', { query: { limit: 1000, after }, signal });
    tokens.push(...(await readJson<Token[]>(response)));
    after = nextPlace(response);
  } while (after !== undefined);
  return tokens;
}

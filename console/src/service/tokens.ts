import { Signal } from '@preact/signals';
import type { CurrentToken, Token } from '../../../clients/typescript/src/contract.ts';
import { ask, nextPlace, probe, readJson, refusalOf, send } from './connection.ts';
import { session } from './session.ts';

const PATIENCE_MS = 20_000;

/** What the token of the console may do. */
export async function readCurrentToken(signal: AbortSignal): Promise<CurrentToken> {
  return ask('GET', 'tokens/current', { signal });
}

/** What the token in use is and may do; undefined until the service has told. */
export const access = new Signal<CurrentToken | undefined>(undefined);

/** Whether the user may do what needs a scope. Until that is known he may: the service has the last word anyway. */
export function may(scope: string): boolean {
  return access.value?.scopes.includes(scope) ?? true;
}

/** Asks what each token may do as soon as it is used. */
export function watchAccess(): void {
  let asking = new AbortController();
  session.subscribe((current) => {
    asking.abort();
    asking = new AbortController();
    access.value = undefined;
    if (current === undefined) return;
    readCurrentToken(asking.signal).then(
      (known) => (access.value = known),
      () => undefined,
    );
  });
}

/** Makes sure that a token can be used. @throws Error why it cannot. */
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

import type {
  CurrentToken,
  IssuedToken,
  Token,
} from '../../../examples/typescript-client/generated/types.gen.ts';
import { nextPlace, readJson, send } from './connection.ts';

/** As JSON has them: moments are texts. */
type InJson<Body> = {
  readonly [Name in keyof Body]: Body[Name] extends Date | undefined ? string : Body[Name];
};

export type AccessToken = InJson<Token>;

/** A token with its secret, which nobody sees again. */
export type IssuedAccessToken = InJson<IssuedToken>;

/** What the token of the console may do. */
export async function readCurrentToken(signal: AbortSignal): Promise<InJson<CurrentToken>> {
  return readJson(await send('GET', 'tokens/current', { signal }));
}

/** Reads all access tokens, oldest first. */
export async function listTokens(signal: AbortSignal): Promise<readonly AccessToken[]> {
  const tokens: AccessToken[] = [];
  let after: string | undefined;
  do {
    const response = await send('GET', 'tokens', { query: { limit: 1000, after }, signal });
    tokens.push(...(await readJson<AccessToken[]>(response)));
    after = nextPlace(response);
  } while (after !== undefined);
  return tokens;
}

/** Makes an access token. */
export async function createToken(
  newToken: Pick<AccessToken, 'name' | 'scopes' | 'expiresAt'>,
): Promise<IssuedAccessToken> {
  return readJson(await send('POST', 'tokens', { body: newToken, isOnce: true }));
}

/** Revokes an access token. @throws Refusal 409 when it is the last one with `admin`, unless that is wanted. */
export async function revokeToken(id: string, evenLastAdmin: boolean): Promise<void> {
  await send('DELETE', `tokens/${id}`, { query: { lastAdmin: evenLastAdmin ? 'true' : undefined } });
}

/** A permission of an access token, such as `plants:read`. Each feature declares its own. */
export type Scope = string;

/** The scope of operations without a scope of their own. */
export const ADMIN: Scope = 'admin';

/** Lists access tokens, and shows who made each change. */
export const TOKENS_READ: Scope = 'tokens:read';

/** The prefix of the ids of subjects of the identity provider. */
export const SUBJECT = 'oidc:';

/** The authenticated caller: a token, or a subject of the identity provider. */
export interface Principal {
  /** Its name in the log. */
  readonly id: string;
  /** What the token is for; absent for a subject of the identity provider. */
  readonly name?: string;
  readonly scopes: readonly Scope[];
  /** null if it never expires. */
  readonly expiresAt: Date | null;
  /** Of a `@Caller()`: the alternative lists of scopes of the operation. */
  readonly required?: readonly (readonly Scope[])[];
}

/** The owner that a caller acts for: the subject, or the name of the token. A replacement token with the same name keeps the rows. */
export function ownerOf({ id, name }: Principal): string {
  return name === undefined ? id : `token:${name}`;
}

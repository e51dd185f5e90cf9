import type { Principal } from './principal.js';

/** Somebody else who issues access tokens, all of which are JWTs. A feature provides it to the whole service. */
export abstract class TokenIssuer {
  /** Its name in its tokens, an address. */
  abstract readonly issuer: string;

  /**
   * The owner of a token; null when the token is not valid, whatever the reason.
   *
   * @throws ApiException 50300 when nobody can tell at the moment.
   */
  abstract verify(token: string): Promise<Principal | null>;
}

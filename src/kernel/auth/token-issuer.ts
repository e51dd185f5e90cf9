import type { Principal } from './principal.js';

/** Issues access tokens (JWTs) outside of this service. A feature may provide one to the whole service. */
export abstract class TokenIssuer {
  /** Its address, exactly as in the claim `iss` of its tokens. */
  abstract readonly issuer: string;

  /**
   * Returns the principal of a token, or null if the token is not valid.
   *
   * @throws ApiException 50300 while the token cannot be verified.
   */
  abstract verify(token: string): Promise<Principal | null>;
}

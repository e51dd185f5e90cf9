import type { Principal } from './principal.js';

/** Issues access tokens (JWTs) outside of this service. A feature may provide one to the whole service. */
export abstract class TokenIssuer {
  /** Its address, as `iss` of its tokens has it. */
  abstract readonly issuer: string;

  /**
   * Returns the principal of a token, or null if the token is not valid.
   *
   * @throws ApiException 50300 while the token cannot be verified.
   */
  abstract verify(token: string): Promise<Principal | null>;
}

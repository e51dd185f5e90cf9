import { Variable } from '../../config/configuration.js';
import { Check, IsIssuer, IsListOf, listOf } from '../../config/formats.js';
import { JWT } from '../../validation/token-format.js';

/** Claim, value and scope; the value may have a `=` of its own. */
const GRANT = /^(?<claim>[^\s=]+)=(?<value>.+)=(?<scope>[^\s=]+)$/;

const NEEDS_ISSUER = Check((_, { OIDC_ISSUER }) => !OIDC_ISSUER && 'needs OIDC_ISSUER');

/** A scope that tokens of an identity provider have if one of their claims has a value. */
export interface ScopeGrant {
  /** Name of the claim; of one inside of another, the names with dots between them. */
  readonly claim: string;
  readonly value: string;
  readonly scope: string;
}

/** The settings of an identity provider, which speaks OpenID Connect or OAuth 2.0 with discovery (RFC 8414). */
export class IdentityProviderSettings {
  @Variable(
    'The identity provider whose access tokens the service accepts beside its own, exactly as its tokens have it in `iss`, such as `https://login.example.org/realms/garden`.',
  )
  @IsIssuer()
  @Check(
    (_, { BOOTSTRAP_TOKEN }) =>
      JWT.test(String(BOOTSTRAP_TOKEN)) && 'needs a BOOTSTRAP_TOKEN that is not a JWT',
  )
  @Check((_, { OIDC_AUDIENCE }) => !OIDC_AUDIENCE && 'needs OIDC_AUDIENCE')
  OIDC_ISSUER: string | undefined;

  @Variable('What these tokens have in `aud`. `OIDC_ISSUER` requires it.')
  @NEEDS_ISSUER
  OIDC_AUDIENCE: string | undefined;

  @Variable(
    'What the [claims](#claims-and-scopes) of these tokens are worth: `claim=value=scope`, separated by commas, such as `groups=/gardeners=plants:write`.',
    { unset: 'the claim `scope`' },
  )
  @IsListOf('claim=value=scope, as in groups=/gardeners=plants:write', (grant) => GRANT.test(grant))
  @NEEDS_ISSUER
  OIDC_SCOPES: string | undefined;

  /** undefined means that the claim `scope` names the scopes of the service. */
  get grants(): readonly ScopeGrant[] | undefined {
    if (this.OIDC_SCOPES === undefined) return undefined;
    return listOf(this.OIDC_SCOPES).map((grant) => {
      const { claim = '', value = '', scope = '' } = GRANT.exec(grant)?.groups ?? {};
      return { claim, value, scope };
    });
  }
}

import { Variable } from '../../kernel/config/configuration.js';
import { Check, IsHttpAddress, IsIssuer, IsListOf, listOf } from '../../kernel/config/formats.js';
import { JWT } from '../../kernel/validation/token-format.js';

/** Claim, value and scope. The value may contain `=`. */
const GRANT = /^(?<claim>[^\s=]+)=(?<value>.+)=(?<scope>[^\s=]+)$/;

const NEEDS_ISSUER = Check((_, { OIDC_ISSUER }) => !OIDC_ISSUER && 'needs OIDC_ISSUER');

/** A scope that tokens of the identity provider have if a claim has this value. */
export interface ScopeGrant {
  /** The name of the claim; for a nested claim, the names joined by dots. A dot in a name has a backslash. */
  readonly claim: string;
  readonly value: string;
  readonly scope: string;
}

/** The settings of an identity provider, which speaks OpenID Connect or OAuth 2.0 with discovery (RFC 8414). */
export class IdentityProviderSettings {
  @Variable(
    'The identity provider whose access tokens the service also accepts, exactly as in their `iss` claim, such as `https://login.example.org/realms/garden`.',
  )
  @IsIssuer()
  @Check(
    (_, { BOOTSTRAP_TOKEN }) =>
      JWT.test(String(BOOTSTRAP_TOKEN)) && 'needs a BOOTSTRAP_TOKEN that is not a JWT',
  )
  @Check((_, { OIDC_AUDIENCE }) => !OIDC_AUDIENCE && 'needs OIDC_AUDIENCE')
  OIDC_ISSUER: string | undefined;

  @Variable('The `aud` claim that these tokens must have. `OIDC_ISSUER` requires it.')
  @NEEDS_ISSUER
  OIDC_AUDIENCE: string | undefined;

  @Variable(
    'The type (`typ`) that these tokens must have: `at+jwt`, or `any` for providers that cannot set it. RFC 9068 wants it so that no ID token passes for an access token; with `any`, only `OIDC_AUDIENCE` tells them apart.',
  )
  @Check((text) => !['at+jwt', 'any'].includes(text) && 'must be at+jwt or any')
  OIDC_TOKEN_TYPE = 'at+jwt';

  @Variable(
    'The address of the keys of the provider (its `jwks_uri`), if the service cannot reach it under the address of the issuer, such as `http://keycloak:8080/realms/garden/protocol/openid-connect/certs`.',
    { unset: 'what its metadata names' },
  )
  @IsHttpAddress()
  @NEEDS_ISSUER
  OIDC_KEYS_URL: string | undefined;

  @Variable(
    'The scopes that [claims](#claims-and-scopes) of these tokens grant: `claim=value=scope`, separated by commas, such as `groups=/gardeners=plants:write`.',
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
      return { claim, value: value.replaceAll('\\,', ','), scope };
    });
  }
}

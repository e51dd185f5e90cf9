import { Variable } from '../../kernel/config/configuration.js';
import { Check } from '../../kernel/config/formats.js';

/** The settings of the page for people. */
export class ConsoleSettings {
  @Variable(
    'The id of the public client at the identity provider that the [console](console.md#sign-in) uses to sign people in.',
  )
  @Check((_, { OIDC_ISSUER }) => !OIDC_ISSUER && 'needs OIDC_ISSUER')
  OIDC_CLIENT_ID: string | undefined;
}

import { IsIn } from 'class-validator';
import { Variable } from '../../config/configuration.js';
import { Check } from '../../config/formats.js';

/** The settings of the page for people. */
export class ConsoleSettings {
  @Variable('Whether the service has the console at `/console`: `on` or `off`.')
  @IsIn(['on', 'off'])
  CONSOLE = 'on';

  @Variable(
    'The id of the public client at the identity provider that the [console](console.md#sign-in) uses to sign people in.',
  )
  @Check((_, { OIDC_ISSUER }) => !OIDC_ISSUER && 'needs OIDC_ISSUER')
  OIDC_CLIENT_ID: string | undefined;
}

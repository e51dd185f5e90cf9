import { IsIn } from 'class-validator';
import { Variable } from '../../config/configuration.js';
import { Check } from '../../config/formats.js';

/** The settings of the page for people. */
export class ConsoleSettings {
  @Variable('Whether the service has its page for people at `/console`: `on` or `off`.')
  @IsIn(['on', 'off'])
  CONSOLE = 'on';

  @Variable(
    'The public client of the identity provider as which the [console](console.md#sign-in) signs people in.',
  )
  @Check((_, { OIDC_ISSUER }) => !OIDC_ISSUER && 'needs OIDC_ISSUER')
  OIDC_CLIENT_ID: string | undefined;
}

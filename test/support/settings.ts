import { Configuration } from '../../src/config/configuration.js';
import { Settings } from '../../src/config/settings.js';

/** The settings of the kernel. */
export function readSettings(environment: NodeJS.ProcessEnv): Settings {
  return new Configuration([Settings], environment).get(Settings);
}
